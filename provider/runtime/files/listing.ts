import { createHash } from "node:crypto";
import { lstat, open, readdir, rm, rmdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { firstOf } from "../messages/firstOf";
import { ignoreMissing } from "./ignoreMissing";

/** SHA-256 of the files below a folder, by their paths with `/`. */
export type Listing = ReadonlyMap<string, string>;

/** Size of one read, in bytes. */
const BLOCK_BYTES = 1 << 20;
/** How often a folder is listed again because a folder in it was removed meanwhile. */
const MAX_LISTS = 5;

/** Paths of the files below a folder, with `/`, sorted by bytes. Does not follow links. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join("/"))
    .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

/**
 * Reads a file to its end.
 *
 * @param flush whether to flush its bytes to disk first
 * @throws the error of the file system; the signal's reason
 */
export async function digestFile(
  path: string,
  signal: AbortSignal,
  { flush = false } = {},
): Promise<{ sha256: string; size: number }> {
  const hash = createHash("sha256");
  const file = await open(path, flush ? "r+" : "r"); // Windows flushes only files that are open for writing
  try {
    if (flush) await file.sync();
    const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, (await file.stat()).size + 1));
    for (let size = 0; ;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(block, 0, block.length, size);
      if (bytesRead === 0) return { sha256: hash.digest("hex"), size };
      hash.update(block.subarray(0, bytesRead));
      size += bytesRead;
    }
  } finally {
    await file.close();
  }
}

/** What a folder has that its listing does not say, and the reverse: paths, sorted. */
export interface FolderDifference {
  /** Files of the listing with other content, or that are no files any more. */
  readonly altered: readonly string[];
  /** Files of the listing that are gone. */
  readonly missing: readonly string[];
  /** Files that the listing does not have: somebody else put them there. */
  readonly foreign: readonly string[];
}

/** Compares a folder with a listing. @returns `undefined` if the folder does not exist; `"no folder"` for a file or a link */
export async function differenceOf(
  folder: string,
  listing: Listing,
  signal: AbortSignal,
): Promise<FolderDifference | "no folder" | undefined> {
  const stats = await lstat(folder).catch(ignoreMissing);
  if (!stats) return undefined;
  if (!stats.isDirectory()) return "no folder";
  const paths = new Set((await filesBelow(folder).catch(ignoreMissing)) ?? []);
  const altered: string[] = [];
  for (const path of paths) {
    if (listing.has(path) && !(await isListed(folder, path, listing, signal))) altered.push(path);
  }
  return {
    altered,
    missing: [...listing.keys()].filter((path) => !paths.has(path)).sort(),
    foreign: [...paths].filter((path) => !listing.has(path)),
  };
}

/** Whether a folder has all files of a listing. Files that others added do not count. */
export async function compareFolder(
  folder: string,
  listing: Listing,
  signal: AbortSignal,
): Promise<"same" | "changed" | "gone"> {
  const found = await differenceOf(folder, listing, signal);
  if (found === undefined) return "gone";
  return found !== "no folder" && found.altered.length + found.missing.length === 0 ? "same" : "changed";
}

/**
 * Removes the files of a listing, and folders that are empty afterwards. A changed or unlisted file belongs to somebody else and
 * stays. Another process may remove the same files at the same time.
 *
 * @returns paths of the remaining files; `""` if the path is no folder
 */
export async function removeListed(folder: string, listing: Listing, signal: AbortSignal): Promise<string[]> {
  const stats = await lstat(folder).catch(ignoreMissing);
  if (!stats) return [];
  if (!stats.isDirectory()) return [""];
  const left: string[] = [];
  for (const path of await remaining(() => filesBelow(folder))) {
    if (await isListed(folder, path, listing, signal)) await rm(join(folder, path), { force: true });
    else if (await lstat(join(folder, path)).catch(ignoreMissing)) left.push(path);
  }
  const entries = await remaining(() => readdir(folder, { recursive: true, withFileTypes: true }));
  const folders = entries.filter((entry) => entry.isDirectory());
  // readdir returns a folder before its entries
  const deepestFirst = folders.map(({ parentPath, name }) => join(parentPath, name)).reverse();
  for (const each of [...deepestFirst, folder]) await rmdir(each).catch(ignoreFull);
  return left;
}

/** The line about files that others put into a published folder, and that stay. @param item "copy" */
export function foreignText(folder: string, foreign: readonly string[], item: string): string {
  return `${folder} has files that this ${item} did not write: ${firstOf(foreign)}. They stay`;
}

/** @param left the result of {@link removeListed}. @param item what the listing describes: "copy" */
export function keptText(folder: string, left: readonly string[], item: string): string {
  if (left[0] === "")
    return `${folder} stays: this ${item} was a folder. Remove it when it is no longer needed`;
  return `${folder} stays: it has files that this ${item} did not write or that were changed since: ${firstOf(left)}. Remove them when they are no longer needed`;
}

async function isListed(
  folder: string,
  path: string,
  listing: Listing,
  signal: AbortSignal,
): Promise<boolean> {
  const sha256 = listing.get(path);
  const file = join(folder, path);
  if (sha256 === undefined || !(await lstat(file).catch(ignoreMissing))?.isFile()) return false;
  return (await digestFile(file, signal).catch(ignoreMissing))?.sha256 === sha256;
}

/** Lists a folder from which another process removes folders. */
async function remaining<T>(list: () => Promise<T[]>): Promise<T[]> {
  for (let tries = 1; tries < MAX_LISTS; tries++) {
    const listed = await list().catch(ignoreMissing);
    if (listed) return listed;
  }
  return (await list().catch(ignoreMissing)) ?? [];
}

function ignoreFull(error: unknown): void {
  if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
}
