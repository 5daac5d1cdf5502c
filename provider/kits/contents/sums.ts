import { join } from "node:path";
import { digestFile, filesBelow } from "../../runtime/files/listing";

/** The list of a kit's files, and that of the parts of a kit in parts. */
export const SUMS = "SHA256SUMS";
export const PARTS_SUMS = "PARTS.SHA256SUMS";
/** The lists that a kit's folder may have, first the one that lists all its files. */
export const LISTS = [PARTS_SUMS, SUMS];

/** A file of a kit, with its digest. */
export interface SummedFile {
  /** Path relative to the kit, with `/`. */
  readonly path: string;
  readonly size: number;
  /** SHA-256: hexadecimal digits. */
  readonly sha256: string;
}

/**
 * Computes the digests of all files below a folder, after flushing them to the disk.
 *
 * @param known files that are not read again
 * @returns ordered by the bytes of their paths
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
    files.push(
      byPath.get(path) ?? { path, ...(await digestFile(join(folder, path), signal, { flush: true })) },
    );
  }
  return files;
}

/** Formats the digests as sha256sum does. */
export function sumsText(files: readonly SummedFile[]): string {
  return files.map(({ sha256, path }) => `${sha256}  ${path}\n`).join("");
}

/** Parses the output of {@link sumsText}. */
export function parseSums(text: string): { sha256: string; path: string }[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ({ sha256: line.slice(0, 64), path: line.slice(66) }));
}
