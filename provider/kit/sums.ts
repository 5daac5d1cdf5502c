import { createHash } from "node:crypto";
import { open, readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** A file of a kit. */
export interface SummedFile {
  /** From the kit on, with `/`. */
  readonly path: string;
  readonly size: number;
  /** Hexadecimal digits. */
  readonly sha256: string;
}

/** How much is read at a time, in bytes. */
const BLOCK_BYTES = 1 << 20;

/**
 * Digests of all files below a folder, as they lie there, brought down to the disk before.
 *
 * @param known files that are not read again
 * @returns in the order of their paths' bytes
 * @throws the error of the file system; the signal's reason
 */
export async function sumFiles(
  folder: string,
  signal: AbortSignal,
  known: readonly SummedFile[] = [],
): Promise<SummedFile[]> {
  const byPath = new Map(known.map((file) => [file.path, file]));
  const files: SummedFile[] = [];
  for (const path of await filesBelow(folder)) {
    files.push(byPath.get(path) ?? { path, ...(await sumOf(join(folder, path), signal)) });
  }
  return files;
}

/** Paths of the files below a folder, with `/`, in the order of their bytes. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join("/"))
    .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

/** As sha256sum writes it. */
export function sumsText(files: readonly SummedFile[]): string {
  return files.map(({ sha256, path }) => `${sha256}  ${path}\n`).join("");
}

/** What {@link sumsText} wrote. */
export function parseSums(text: string): { sha256: string; path: string }[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ({ sha256: line.slice(0, 64), path: line.slice(66) }));
}

async function sumOf(path: string, signal: AbortSignal): Promise<{ size: number; sha256: string }> {
  const hash = createHash("sha256");
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  const file = await open(path);
  try {
    await file.sync();
    for (let size = 0; ;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(block, 0, BLOCK_BYTES, size);
      if (bytesRead === 0) return { size, sha256: hash.digest("hex") };
      hash.update(block.subarray(0, bytesRead));
      size += bytesRead;
    }
  } finally {
    await file.close();
  }
}
