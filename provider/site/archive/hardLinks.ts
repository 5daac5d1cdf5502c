import { randomUUID } from "node:crypto";
import { open, rm, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SiteFile } from "./site";

const CHUNK_BYTES = 256 * 1_024;

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
  const file = await namelessFile();
  try {
    await file.writeFile(content);
    for (const path of paths) yield { path, size, content: chunksOf(file, size) };
  } finally {
    await file.close();
  }
}

async function namelessFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `docs-hosting-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  await rm(path);
  return file;
}

/** Unlike a stream, it holds nothing open if it is not read. */
async function* chunksOf(file: FileHandle, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let position = 0; position < size;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
