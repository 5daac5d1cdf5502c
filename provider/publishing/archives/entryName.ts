import { basename, dirname, join } from "node:path/posix";
import { entryRefusal, REFUSAL_REMEDIES, type Remedy, RENAME, UNSAFE } from "./refusal";
import { unpublished } from "./unpublished";

/** Maximum size of one name between slashes, in bytes: every current file system allows it. */
const LONGEST_NAME = 255;

/** Maximum size of a path, in bytes: the longest key of S3. */
const LONGEST_PATH = 1_024;

/** Maximum size of the path of what is not published, in bytes: names are held in memory. */
const LONGEST_UNPUBLISHED = 4_096;

/** Maximum depth of folders. */
const MAX_DEPTH = 64;

/** Names of devices on Windows, with any extension. */
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:$|[. ])/i;

/** Characters that Windows does not allow in names: a colon opens another stream of the same file. */
const NOT_ON_WINDOWS = /[<>:"|?*]/;

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/**
 * Checks the name of an entry, whatever its destination: that it stays in its folder, and that all programs read it in the same way.
 *
 * @returns the path without `./` at the start and `/` at the end; empty for the archive's own root
 * @throws BundleRefusedError
 */
export function checkedPath(name: string, kind: "file" | "folder"): string {
  const refuse = (problem: string, remedy: Remedy = UNSAFE): never => {
    throw entryRefusal(name, problem, remedy);
  };
  // as `tar -C site .` writes them
  let path = name.replace(/^(?:\.\/)+/, "");
  if (kind === "folder") path = path === "." ? "" : path.replace(/\/$/, "");
  const isPublished = unpublished(path, kind) === undefined;
  if (isPublished && CONTROL.test(name)) {
    refuse("has a control character or a line break in its name", REFUSAL_REMEDIES.controlCharacter);
  }
  if (isPublished && name.includes("\\")) refuse("has a backslash in its name", REFUSAL_REMEDIES.backslash);
  if (name.startsWith("/")) refuse("has an absolute path", REFUSAL_REMEDIES.leadsOutside);
  if (/^[a-z]:[\\/]/i.test(name)) refuse("begins with a drive letter", REFUSAL_REMEDIES.leadsOutside);
  if (path === "") return kind === "folder" && name !== "" ? "" : refuse("has no name");
  const longest = isPublished ? LONGEST_PATH : LONGEST_UNPUBLISHED;
  if (Buffer.byteLength(path) > longest) refuse(`has a path of more than ${longest} bytes`, RENAME);
  const names = path.split("/");
  if (isPublished && names.length > MAX_DEPTH) refuse(`is more than ${MAX_DEPTH} folders deep`, RENAME);
  for (const part of names) {
    if (part.split("\\").includes("..")) refuse("leads outside its folder", REFUSAL_REMEDIES.leadsOutside);
    if (part === "" || part === ".") {
      refuse("has an empty segment or a «.» in its path", REFUSAL_REMEDIES.leadsOutside);
    }
    if (isPublished && Buffer.byteLength(part) > LONGEST_NAME) {
      refuse(`has a name of more than ${LONGEST_NAME} bytes`, RENAME);
    }
  }
  return path;
}

/** Whether Windows cannot store a name between slashes. */
export function isNotOnWindows(name: string): boolean {
  return WINDOWS_DEVICE.test(name) || /[. ]$/.test(name) || NOT_ON_WINDOWS.test(name);
}

/** A name of more bytes is too long for some file systems: encrypted ones have room for 143. */
const LONGEST_SURE = 140;

/** Names that only some file systems hold. */
export interface ForeignNames {
  /** Paths that programs on Windows cannot unpack. */
  readonly notOnWindows: readonly string[];
  /**
   * Names that a file system may refuse or confuse, by their folder: those of `notOnWindows`, very long ones, and those that differ from
   * another in the folder only in case or in the encoding of accents.
   */
  readonly doubtful: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Finds names that only some file systems hold. A generator makes them, so that their owner cannot change them.
 *
 * @param paths of files and folders, each once: read several times
 */
export function foreignNames(
  paths: () => Iterable<{ readonly path: string; readonly kind: "file" | "folder" }>,
): ForeignNames {
  const doubtful = new Map<string, Set<string>>();
  const doubt = (path: string): void => {
    const names = doubtful.get(dirname(path)) ?? new Set();
    doubtful.set(dirname(path), names.add(basename(path)));
  };
  const byFold = new Map<string, string>();
  for (const { path } of paths()) {
    const name = basename(path);
    if (isNotOnWindows(name) || Buffer.byteLength(name) > LONGEST_SURE) doubt(path);
    const fold = folded(name);
    const key = fold === name ? path : join(dirname(path), fold);
    const sibling = byFold.get(key);
    if (sibling === undefined) byFold.set(key, path);
    else for (const each of [sibling, path]) doubt(each);
  }
  byFold.clear(); // as large as the site's names

  // Windows tells ways to write an accent apart, and joins folders that differ in case
  const onWindows = new Map<string, "file" | "folder">();
  const notOnWindows: string[] = [];
  for (const { path, kind } of paths()) {
    const onDisk = inOneCase(path);
    const other = onWindows.get(onDisk);
    const collides = other !== undefined && (other === "file" || kind === "file");
    onWindows.set(onDisk, kind);
    if (collides || (kind === "file" && path.split("/").some(isNotOnWindows))) notOnWindows.push(path);
  }
  return { notOnWindows, doubtful };
}

const ASCII = /^[\0-\x7f]*$/;

/** Equal for paths with one upper case. Most paths are in lower case: they need no memory for another text. */
function inOneCase(path: string): string {
  if (ASCII.test(path)) return path.toLowerCase();
  const upper = path.toUpperCase();
  return ASCII.test(upper) ? upper.toLowerCase() : upper;
}

/** The name as the least distinguishing file system sees it. */
function folded(name: string): string {
  if (ASCII.test(name)) return name.toLowerCase();
  // upper case first: σ and ς, s and ſ, ss and ß have one upper case, and a lower case each
  return name.normalize("NFD").toUpperCase().toLowerCase().normalize("NFC");
}
