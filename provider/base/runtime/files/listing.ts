import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { type FileHandle, lstat, open, readdir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { inParallel } from "../concurrency/inParallel";
import { firstOf } from "../messages/firstOf";
import type { Checked, CheckTask } from "./checkFiles";
import { ignoreMissing, ignoring } from "./ignoreMissing";
import { ignoreNoFile, OPEN_ITSELF } from "./regularFile";
import { Thread } from "./thread";
import { type FileDigest, FILES_AT_ONCE } from "./writeFile";

/** SHA-256 of the files below a folder, by their paths with `/`. */
export type Listing = ReadonlyMap<string, string>;

/** Size of one read, in bytes. */
const BLOCK_BYTES = 1 << 20;

/** Up to this number of files, the start of a thread that checks them costs more than it saves. */
const FEW_FILES = 300;
/** How many files a thread checks for one message. */
const FILES_PER_TASK = 100;
/** A thread for each such number of files. Several are quicker where each call waits for a network. */
const FILES_PER_THREAD = 12_000;
const MOST_THREADS = 4;

/** Paths of the files below a folder, with `/`, sorted by bytes. Does not follow links. */
export async function filesBelow(folder: string): Promise<string[]> {
  return (await entriesSorted(folder)).filter((path) => !path.endsWith("/"));
}

/** As {@link filesBelow}, with the folders that are empty: their paths end with `/`. */
export async function entriesSorted(folder: string): Promise<string[]> {
  return sorted((await entriesBelow(folder)).keys());
}

/** As {@link entriesBelow}. @returns `undefined` if the folder does not exist; `"no folder"` for a file or a link */
async function entriesIn(folder: string) {
  const stats = await lstat(folder).catch(ignoreMissing);
  if (!stats?.isDirectory()) return stats && "no folder";
  return (await entriesBelow(folder).catch(ignoreMissing)) ?? new Map<string, Dirent>();
}

/** What is below a folder except folders that have something, by its path as {@link entriesSorted} gives it. */
async function entriesBelow(folder: string, parent = "", below = new Map<string, Dirent>()) {
  for (const entry of await readdir(join(folder, parent), { withFileTypes: true })) {
    const path = `${parent}${entry.name}`;
    if (!entry.isDirectory()) below.set(path, entry);
    else {
      const before = below.size;
      // another process may remove the folder meanwhile
      const found = await entriesBelow(folder, `${path}/`, below).catch(ignoreMissing);
      if (found?.size === before) below.set(`${path}/`, entry);
    }
  }
  return below;
}

/** The folders that the files of a listing are in: paths with `/` at their end. */
function foldersOf(listing: Listing): Set<string> {
  const folders = new Set<string>();
  for (const path of listing.keys()) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end + 1);
      if (folders.has(folder)) break; // its parents, too
      folders.add(folder);
    }
  }
  return folders;
}

/** Sorts paths by their bytes. */
function sorted(paths: Iterable<string>): string[] {
  const all = Array.from(paths, (path) => ({ path, bytes: Buffer.from(path) }));
  return all.sort((one, other) => Buffer.compare(one.bytes, other.bytes)).map(({ path }) => path);
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
  { flush = false }: { readonly flush?: boolean } = {},
): Promise<FileDigest> {
  const file = await open(path, flush ? "r+" : "r"); // Windows flushes only files that are open for writing
  try {
    if (flush) await file.sync();
    return await digestOf(file, (await file.stat()).size, signal);
  } finally {
    await file.close();
  }
}

/** @param stated the size that the file system states: 0 for files that it makes while they are read */
async function digestOf(file: FileHandle, stated: number, signal: AbortSignal): Promise<FileDigest> {
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
interface FolderDifference {
  /** Files of the listing with other content, or that are not files any more. */
  readonly altered: readonly string[];
  /** Files of the listing that are gone. */
  readonly missing: readonly string[];
  /** Files that the listing does not have: somebody else put them there. */
  readonly foreign: readonly string[];
}

/**
 * Compares a folder with a listing.
 *
 * @returns `undefined` if the folder does not exist; `"no folder"` for a file or a link
 */
export async function differenceOf(
  folder: string,
  listing: Listing,
  signal: AbortSignal,
): Promise<FolderDifference | "no folder" | undefined> {
  const entries = await entriesIn(folder);
  if (entries === undefined || entries === "no folder") return entries;
  const unlisted = await unlistedIn(folder, entries, listing, signal);
  return {
    altered: sorted([...unlisted].filter((path) => listing.has(path))),
    missing: [...listing.keys()].filter((path) => !entries.has(path)).sort(),
    foreign: sorted([...unlisted].filter((path) => !listing.has(path))),
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
 * Removes the files of a listing, and their folders that are empty afterwards. A changed or unlisted file, and an empty folder that no
 * file of the listing was in, belong to somebody else and stay. Another process may remove the same files at the same time.
 *
 * @returns paths of the remaining files; `""` if the path is not a folder
 */
export async function removeListed(folder: string, listing: Listing, signal: AbortSignal): Promise<string[]> {
  const entries = await entriesIn(folder);
  if (entries === undefined) return [];
  if (entries === "no folder") return [""];
  const left = await unlistedIn(folder, entries, listing, signal, true);
  for (const path of left) if (!(await lstat(join(folder, path)).catch(ignoreMissing))) left.delete(path);
  await removeEmptyFolders(folder, "", foldersOf(listing));
  return sorted(left);
}

/** Removes a folder and, of those below it, the given ones, except those that have files or other folders. Follows no link. */
async function removeEmptyFolders(root: string, parent: string, folders: ReadonlySet<string>): Promise<void> {
  const entries = (await readdir(join(root, parent), { withFileTypes: true }).catch(ignoreMissing)) ?? [];
  const below = entries.flatMap((entry) => (entry.isDirectory() ? [`${parent}${entry.name}/`] : []));
  const own = below.filter((path) => folders.has(path));
  await inParallel(own, FILES_AT_ONCE, (path) => removeEmptyFolders(root, path, folders));
  await rmdir(join(root, parent)).catch(ignoreFull);
}

/** The line about files that others put into a published folder, and that stay. @param item "copy" */
export function foreignText(folder: string, foreign: readonly string[], item: string): string {
  return `${folder} has files that this ${item} did not write: ${firstOf(foreign)}. They stay`;
}

/** @param left the result of {@link removeListed}. @param item what the listing describes: "copy" */
export function keptText(folder: string, left: readonly string[], item: string): string {
  if (left[0] === "") {
    return `${folder} stays: this ${item} was a folder. Remove it when it is no longer needed`;
  }
  return `${folder} stays: it has files that this ${item} did not write or that were changed since: ${firstOf(left)}. Remove them when they are no longer needed`;
}

/**
 * Compares what is below a folder with a listing.
 *
 * @param isRemoved whether to remove what the listing has
 * @returns paths that the listing does not have, and those of links and of files with another digest. Also of files that are gone
 */
async function unlistedIn(
  folder: string,
  entries: ReadonlyMap<string, Dirent>,
  listing: Listing,
  signal: AbortSignal,
  isRemoved = false,
): Promise<Set<string>> {
  const unlisted = new Set<string>();
  const paths: string[] = [];
  const files: [path: string, sha256: string][] = [];
  const folders = foldersOf(listing);
  for (const [path, entry] of entries) {
    if (entry.isDirectory() && folders.has(path)) continue;
    const sha256 = entry.isFile() ? listing.get(path) : undefined;
    if (sha256 === undefined) unlisted.add(path);
    else {
      files.push([join(folder, path), sha256]);
      paths.push(path);
    }
  }
  const found = (at: number): void => void unlisted.add(paths[at] ?? "");
  if (files.length > FEW_FILES) await checkInThreads({ files, isRemoved }, found, signal);
  else {
    await inParallel(files.entries(), FILES_AT_ONCE, async ([at, [path, sha256]]) => {
      if (!(await hasDigest(path, sha256, signal))) found(at);
      else if (isRemoved) await unlink(path).catch(ignoreMissing);
    });
  }
  return unlisted;
}

/** @param found gets the number of each file that has not its digest. @throws as {@link digestFile} */
async function checkInThreads(
  { files, isRemoved }: CheckTask,
  found: (at: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const count = Math.min(MOST_THREADS, Math.ceil(files.length / FILES_PER_THREAD));
  signal.throwIfAborted();
  const threads = Array.from(
    { length: count },
    () => new Thread<CheckTask, Checked>("base/runtime/files/checkFiles"),
  );
  const stop = (): void => threads.forEach((each) => void each.end(signal.reason));
  signal.addEventListener("abort", stop);
  let next = 0;
  try {
    await inParallel(threads, count, async (thread) => {
      while (next < files.length) {
        const from = next;
        next += FILES_PER_TASK;
        const { others } = await thread.do({ files: files.slice(from, next), isRemoved });
        for (const at of others) found(from + at);
      }
    });
  } finally {
    signal.removeEventListener("abort", stop);
    for (const each of threads) await each.end(signal.reason);
  }
}

/** Whether a file has a digest. A link, or a file that is gone, has not. */
async function hasDigest(path: string, sha256: string, signal: AbortSignal): Promise<boolean> {
  const file = await open(path, OPEN_ITSELF).catch(ignoreNoFile);
  if (!file) return false;
  try {
    const stats = await file.stat();
    return stats.isFile() && (await digestOf(file, stats.size, signal)).sha256 === sha256;
  } finally {
    await file.close();
  }
}

const ignoreFull = ignoring("ENOTEMPTY", "EEXIST", "ENOENT");
