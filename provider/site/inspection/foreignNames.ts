import { basename, dirname } from "node:path/posix";
import { isNotOnWindows } from "../archive/entryName";

/** Names that only some file systems hold. A generator makes them, so that their owner cannot change them. */
export interface ForeignNames {
  /** Paths that programs on Windows cannot unpack. */
  readonly notOnWindows: readonly string[];
  /**
   * Names that a file system may refuse or confuse, by their folder: those of `notOnWindows`, very long ones, and those that differ from
   * another in the folder only in case or in the encoding of accents.
   */
  readonly doubtful: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A name of more bytes is too long for some file systems: encrypted ones have room for 143. */
const LONGEST_SURE = 140;

/** @param paths of files and folders, each once */
export function foreignNames(
  paths: readonly { readonly path: string; readonly kind: "file" | "folder" }[],
): ForeignNames {
  const notOnWindows: string[] = [];
  const doubtful = new Map<string, Set<string>>();
  const doubt = (path: string): void => {
    const names = doubtful.get(dirname(path)) ?? new Set();
    doubtful.set(dirname(path), names.add(basename(path)));
  };
  // Windows tells ways to write an accent apart, and joins folders that differ in case
  const onWindows = new Map<string, "file" | "folder">();
  const byFold = new Map<string, string>();
  for (const { path, kind } of paths) {
    const inUpperCase = path.toUpperCase();
    const other = onWindows.get(inUpperCase);
    const collides = other !== undefined && (other === "file" || kind === "file");
    onWindows.set(inUpperCase, kind);
    if (collides || (kind === "file" && path.split("/").some(isNotOnWindows))) notOnWindows.push(path);
    const name = basename(path);
    if (isNotOnWindows(name) || Buffer.byteLength(name) > LONGEST_SURE) doubt(path);
    const key = `${dirname(path)}/${folded(name)}`;
    const sibling = byFold.get(key);
    if (sibling === undefined) byFold.set(key, path);
    else for (const each of [sibling, path]) doubt(each);
  }
  return { notOnWindows, doubtful };
}

/** The name as the least distinguishing file system sees it. */
function folded(name: string): string {
  if (/^[\0-\x7f]*$/.test(name)) return name.toLowerCase();
  // upper case first: σ and ς, s and ſ, ss and ß have one upper case, and a lower case each
  return name.normalize("NFD").toUpperCase().toLowerCase().normalize("NFC");
}
