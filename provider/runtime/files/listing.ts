import { createHash } from "node:crypto";
import { constants, type Dirent } from "node:fs";
import { type FileHandle, lstat, open, readdir, rmdir, unlink } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { inParallel } from "../concurrency/inParallel";
import { firstOf } from "../messages/firstOf";
import { FILES_AT_ONCE } from "./writeFile";
import { ignoreMissing } from "./ignoreMissing";

/** SHA-256 of the files below a folder, by their paths with `/`. */
export type Listing = ReadonlyMap<string, string>;

/** Size of one read, in bytes. */
const BLOCK_BYTES = 1 << 20;
/** How often a folder is listed again because a folder in it was removed meanwhile. */
const MAX_LISTS = 5;

/** How a file of a listing is opened: no link is followed, and a pipe in its place is not waited for. Windows has neither. */
const OPEN_LISTED =
  constants.O_RDONLY |
  ((constants.O_NOFOLLOW as number | undefined) ?? 0) |
  ((constants.O_NONBLOCK as number | undefined) ?? 0);

/** Paths of the files below a folder, with `/`, sorted by bytes. Does not follow links. */
export async function filesBelow(folder: string): Promise<string[]> {
  return [...(await entriesBelow(folder)).keys()];
}

/** What is below a folder except folders, by its path as {@link filesBelow} gives it. */
async function entriesBelow(folder: string): Promise<Map<string, Dirent>> {
  const below: { path: string; bytes: Buffer; entry: Dirent }[] = [];
  const parents = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const { parentPath, name } = entry;
    let parent = parents.get(parentPath);
    if (parent === undefined) {
      parent = relative(folder, parentPath).split(sep).join("/");
      parents.set(parentPath, parent);
    }
    const path = parent === "" ? name : `${parent}/${name}`;
    below.push({ path, bytes: Buffer.from(path), entry });
  }
  below.sort((one, other) => Buffer.compare(one.bytes, other.bytes));
  return new Map(below.map(({ path, entry }) => [path, entry]));
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
  const file = await open(path, flush ? "r+" : "r"); // Windows flushes only files that are open for writing
  try {
    if (flush) await file.sync();
    return await digestOf(file, (await file.stat()).size, signal);
  } finally {
    await file.close();
  }
}

/** @param stated the size that the file system states: 0 for files that it makes while they are read */
async function digestOf(
  file: FileHandle,
  stated: number,
  signal: AbortSignal,
): Promise<{ sha256: string; size: number }> {
  const hash = createHash("sha256");
  const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, stated + 1));
  for (let size = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(block, 0, block.length, size);
    hash.update(block.subarray(0, bytesRead));
    size += bytesRead;
    // a short read up to the stated size is the end, without another one that reads nothing
    const isEnd = bytesRead === 0 || (size === stated && bytesRead < block.length);
    if (isEnd) return { sha256: hash.digest("hex"), size };
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
  const entries = (await entriesBelow(folder).catch(ignoreMissing)) ?? new Map<string, Dirent>();
  const paths = [...entries.keys()];
  const altered = new Set<string>();
  await inParallel(entries, FILES_AT_ONCE, async ([path, entry]) => {
    if (listing.has(path) && !(await isListed(folder, path, entry, listing, signal))) altered.add(path);
  });
  return {
    altered: paths.filter((path) => altered.has(path)),
    missing: [...listing.keys()].filter((path) => !entries.has(path)).sort(),
    foreign: paths.filter((path) => !listing.has(path)),
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
  const entries = await remaining(() => entriesBelow(folder), new Map<string, Dirent>());
  const left = new Set<string>();
  await inParallel(entries, FILES_AT_ONCE, async ([path, entry]) => {
    const file = join(folder, path);
    if (await isListed(folder, path, entry, listing, signal)) await unlink(file).catch(ignoreMissing);
    else if (await lstat(file).catch(ignoreMissing)) left.add(path);
  });
  await removeEmptyFolders(folder);
  return [...entries.keys()].filter((path) => left.has(path));
}

/** Removes a folder and those below it, except those that have files. */
async function removeEmptyFolders(folder: string): Promise<void> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(ignoreMissing)) ?? [];
  const folders = entries.filter((entry) => entry.isDirectory());
  await inParallel(folders, FILES_AT_ONCE, ({ name }) => removeEmptyFolders(join(folder, name)));
  await rmdir(folder).catch(ignoreFull);
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

/** Whether a file has the digest that the listing says. A link, or a file that is gone, has not. */
async function isListed(
  folder: string,
  path: string,
  entry: Dirent,
  listing: Listing,
  signal: AbortSignal,
): Promise<boolean> {
  const sha256 = listing.get(path);
  if (sha256 === undefined || !entry.isFile()) return false;
  const file = await open(join(folder, path), OPEN_LISTED).catch(ignoreNoFile);
  if (!file) return false;
  try {
    const stats = await file.stat();
    return stats.isFile() && (await digestOf(file, stats.size, signal)).sha256 === sha256;
  } finally {
    await file.close();
  }
}

/** Lists a folder from which another process removes folders. */
async function remaining<T>(list: () => Promise<T>, none: T): Promise<T> {
  for (let tries = 1; tries < MAX_LISTS; tries++) {
    const listed = await list().catch(ignoreMissing);
    if (listed) return listed;
  }
  return (await list().catch(ignoreMissing)) ?? none;
}

/** A file that is gone, and since it was listed a link (`EMLINK` on FreeBSD) or a socket in its place. */
function ignoreNoFile(error: unknown): undefined {
  const { code = "" } = error as NodeJS.ErrnoException;
  if (!["ENOENT", "ELOOP", "EMLINK", "ENXIO"].includes(code)) throw error;
}

function ignoreFull(error: unknown): void {
  if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
}
