import { join } from "node:path";
import { digestFile, filesBelow } from "../files/listing";

/** A file of a kit. */
export interface SummedFile {
  /** From the kit on, with `/`. */
  readonly path: string;
  readonly size: number;
  /** Hexadecimal digits. */
  readonly sha256: string;
}

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
    files.push(
      byPath.get(path) ?? { path, ...(await digestFile(join(folder, path), signal, { flush: true })) },
    );
  }
  return files;
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
