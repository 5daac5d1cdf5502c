import { hash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { digestFile, filesBelow, type Listing } from "../../base/runtime/files/listing";
import { readRecord } from "../../base/runtime/files/regularFile";
import type { Signer } from "../../publishing/index";
import { sigstoreBundle } from "./sigstoreBundle";

/** The list of a kit's files, and that of the parts of a kit in parts. */
export const SUMS = "SHA256SUMS";
export const PARTS_SUMS = "PARTS.SHA256SUMS";

/** The names of a list's signatures: for openssl and minisign, and for cosign. */
export const signatureFiles = (list: string): [raw: string, sigstore: string] => [
  `${list}.sig`,
  `${list}.sigstore.json`,
];

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

/** A list that was written. */
interface WrittenList {
  /** All files of the folder. */
  readonly files: readonly SummedFile[];
  readonly totals: ListTotals;
}

/** What a state keeps of a list. */
interface ListTotals {
  readonly list: { readonly file: string; readonly sha256: string };
  /** Number of files in the folder. */
  readonly files: number;
  /** Their size in bytes. */
  readonly size: number;
}

/** A list that was read. */
interface ReadList {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly files: Listing;
}

/**
 * Writes the list of the files in a folder, and signs it.
 *
 * @param known files whose digest is already computed
 */
export async function writeList(
  folder: string,
  file: string,
  known: readonly SummedFile[],
  signer: Signer | undefined,
  signal: AbortSignal,
): Promise<WrittenList> {
  const listed = await sumFiles(folder, signal, known);
  const bytes = Buffer.from(sumsText(listed));
  await writeFile(join(folder, file), bytes);
  if (signer) {
    const signature = signer.sign(bytes);
    const [raw, sigstore] = signatureFiles(file);
    await writeFile(join(folder, raw), signature);
    await writeFile(join(folder, sigstore), sigstoreBundle(bytes, signature, signer));
  }
  const files = await sumFiles(folder, signal, listed);
  const size = files.reduce((total, each) => total + each.size, 0);
  return { files, totals: { list: { file, sha256: hash("sha256", bytes) }, files: files.length, size } };
}

/** Reads a list. @returns `undefined` if there is none, or no file */
export async function readList(kit: string, file: string): Promise<ReadList | undefined> {
  const bytes = await readRecord(join(kit, file));
  if (bytes === undefined) return undefined;
  const lines = bytes.toString().split("\n").filter(Boolean);
  const files: Listing = new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
  return { bytes, sha256: hash("sha256", bytes), files };
}
