import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chunksOf } from "./archiveFile";
import type { SiteFile } from "./siteSink";

/**
 * Yields the content of a file once for each of several paths.
 *
 * @param content is read once. For several paths it is stored in a temporary file meanwhile, which has no name, so that a killed run
 *   leaves nothing behind
 */
export async function* repeated(
  paths: readonly string[],
  size: number,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<SiteFile & { readonly content: AsyncIterable<Uint8Array> }, void, undefined> {
  const [only = "", ...others] = paths;
  if (others.length === 0) return yield { path: only, size, content };
  const stored = join(tmpdir(), `docs-hosting-${randomUUID()}`);
  const file = await open(stored, "wx+", 0o600);
  try {
    await rm(stored);
    await file.writeFile(content);
    for (const path of paths) yield { path, size, content: chunksOf(file) };
  } finally {
    await file.close();
  }
}
