import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { BundleRefusedError } from "../../../../provider/base/runtime/messages/errors.ts";
import type { ArchiveFormat } from "../../../../provider/publishing/archives/format.ts";
import type { SiteLimits } from "../../../../provider/publishing/archives/siteSink.ts";
import {
  type BundleFile,
  inspectBundle,
  type Inspection,
  unpackBundle,
} from "../../../../provider/publishing/inspection/bundle.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";

export const LIMITS: SiteLimits = { unpackedBytes: 1_000_000_000, files: 20_000 };

/** It exists until the test ends. */
export function bundleOnDisk(bytes: Uint8Array, format: ArchiveFormat = formatOf(bytes)): BundleFile {
  const folder = mkdtempSync(join(tmpdir(), "bundle-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "bundle");
  writeFileSync(path, bytes);
  return { path, format, sha256: createHash("sha256").update(bytes).digest("hex") };
}

function formatOf(bytes: Uint8Array): ArchiveFormat {
  return bytes[0] === 0x50 ? "zip" : "tar.gz";
}

/** Inspects it. */
export async function inspected(bundle: BundleFile | Uint8Array, limits = LIMITS): Promise<Inspection> {
  const file = bundle instanceof Uint8Array ? bundleOnDisk(bundle) : bundle;
  return await inspectBundle(file, limits, {
    signal: new AbortController().signal,
    reporter: recordingReporter(),
  });
}

/** Inspects and unpacks it: path and content (latin1) of every file. */
export async function unpacked(
  bundle: BundleFile | Uint8Array,
  limits = LIMITS,
): Promise<Record<string, string>> {
  const file = bundle instanceof Uint8Array ? bundleOnDisk(bundle) : bundle;
  return await unpackedAgain(file, await inspected(file, limits), limits);
}

export async function unpackedAgain(
  bundle: BundleFile,
  site: Pick<Inspection, "root" | "leftOut">,
  limits = LIMITS,
): Promise<Record<string, string>> {
  const files: [string, string][] = [];
  const { signal } = new AbortController();
  const file = async (
    { path, size }: { path: string; size: number },
    content: AsyncIterable<Uint8Array>,
  ): Promise<void> => {
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    expect(bytes.length).toBe(size);
    files.push([path, bytes.toString("latin1")]);
  };
  await unpackBundle(bundle, limits, { file }, { signal, ...site });
  return Object.fromEntries(files);
}

/** The refusal of a bundle: the same one by inspection and by unpacking. */
export async function refusalOf(bundle: BundleFile | Uint8Array, limits = LIMITS): Promise<string> {
  const file = bundle instanceof Uint8Array ? bundleOnDisk(bundle) : bundle;
  const refusal = async (reading: Promise<unknown>): Promise<BundleRefusedError> => {
    const error = await reading.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(BundleRefusedError);
    return error as BundleRefusedError;
  };
  const { message, remedy } = await refusal(inspected(file, limits));
  expect(await refusal(unpackedAgain(file, { root: "", leftOut: [] }, limits))).toMatchObject({
    message,
    remedy,
  });
  expect(remedy).toMatch(/^[A-Z].+\.$/);
  return message;
}
