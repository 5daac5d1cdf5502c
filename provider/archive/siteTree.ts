import { entryRefusal, raise, refusal, RENAME, UNSAFE } from "./refusal";
import type { SiteLimits } from "./site";

/** Maximum size of one name between slashes, in bytes: every current file system allows it. */
const LONGEST_NAME = 255;

/** Maximum size of a path, in bytes: the longest key of S3. */
const LONGEST_PATH = 1_024;

/** Maximum depth of folders. */
const MAX_DEPTH = 64;

/** Names of devices on Windows, with any extension. */
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:$|[. ])/i;

/** Characters that Windows does not allow in names: a colon opens another stream of the same file. */
const NOT_ON_WINDOWS = /[<>:"|?*]/;

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/**
 * The names of a site. It checks each name alone and against all others, so that destinations need no rules of their own.
 *
 * It refuses names that only some systems distinguish (`API.html` and `api.html`, two ways to write `é`) or allow (`aux.html`,
 * `a:b`) everywhere: the same bundle must give the same site in a folder on a Mac and in a bucket. Folders that differ only in
 * case do not collide as long as the paths of their files differ otherwise.
 */
export class SiteTree {
  readonly limits: SiteLimits;
  /** By the path as the least distinguishing system sees it. */
  readonly #found = new Map<string, { readonly path: string; readonly kind: "file" | "folder" }>();
  #entries = 0;

  constructor(limits: SiteLimits) {
    this.limits = limits;
  }

  /**
   * Checks and adds an entry.
   *
   * @param kind of the entry
   * @returns the path without `./` at the start and `/` at the end; empty for the archive's own root
   * @throws BundleRefusedError
   */
  add(name: string, kind: "file" | "folder"): string {
    // the root may be an entry, too; duplicates count twice
    if (++this.#entries > this.limits.files + 1) throw this.#tooMany();
    const path = checkedPath(name, kind);
    if (path === "") return path;
    for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
      this.#put(path.slice(0, slash), "folder", name);
    }
    this.#put(path, kind, name);
    return path;
  }

  /** Whether exactly this file was added. */
  hasFile(path: string): boolean {
    if (path.length > LONGEST_PATH) return false; // before it is normalised, whose time grows faster than the length
    const found = this.#found.get(folded(path));
    return found?.kind === "file" && found.path === path;
  }

  /** The files and folders directly in a folder. @param folder its path; empty for the archive's root */
  childrenOf(folder: string): { files: string[]; folders: string[] } {
    const prefix = folder === "" ? "" : `${folder}/`;
    const children = [...this.#found.values()].filter(
      ({ path }) => path.startsWith(prefix) && !path.includes("/", prefix.length) && !isMacMetadata(path),
    );
    const paths = (kind: "file" | "folder"): string[] =>
      children.filter((each) => each.kind === kind).map(({ path }) => path);
    return { files: paths("file"), folders: paths("folder") };
  }

  #put(path: string, kind: "file" | "folder", name: string): void {
    const key = folded(path);
    const known = this.#found.get(key);
    if (known === undefined) {
      this.#found.set(key, { path, kind });
      if (this.#found.size > this.limits.files) throw this.#tooMany();
    } else if (known.kind === "file" || kind === "file") {
      if (known.path !== path) {
        throw entryRefusal(
          name,
          `differs from another, «${known.path}», only in case or in the encoding of its accents`,
          RENAME,
        );
      }
      throw entryRefusal(name, known.kind === kind ? "occurs twice" : "is both a file and a folder", UNSAFE);
    }
  }

  #tooMany(): Error {
    return refusal(`contains more than ${this.limits.files} files and folders`, raise("files"));
  }
}

/** Files that macOS adds and no page refers to. They must satisfy every rule, and are left out. */
export function isMacMetadata(path: string): boolean {
  return /(?:^__MACOSX(?:$|\/))|(?:(?:^|\/)(?:\._[^/]*|\.DS_Store)$)/.test(path);
}

/** The form that is equal for names that differ only in case or in the encoding of accents. */
function folded(path: string): string {
  if (/^[\0-\x7f]*$/.test(path)) return path.toLowerCase();
  // upper case first: σ and ς, s and ſ, ss and ß have one upper case, and a lower case each
  return path.normalize("NFD").toUpperCase().toLowerCase().normalize("NFC");
}

function checkedPath(name: string, kind: "file" | "folder"): string {
  const refuse = (problem: string, remedy = UNSAFE): never => {
    throw entryRefusal(name, problem, remedy);
  };
  if (CONTROL.test(name)) refuse("has a control character or a line break in its name");
  if (name.includes("\\")) refuse("has a backslash in its name");
  if (name.startsWith("/")) refuse("has an absolute path");
  if (/^[a-z]:/i.test(name)) refuse("begins with a drive letter");
  // as `tar -C site .` writes them
  let path = name.replace(/^(?:\.\/)+/, "");
  if (kind === "folder") path = path === "." ? "" : path.replace(/\/$/, "");
  if (path === "") return kind === "folder" && name !== "" ? "" : refuse("has no name");
  if (Buffer.byteLength(path) > LONGEST_PATH) refuse(`has a path of more than ${LONGEST_PATH} bytes`, RENAME);
  const names = path.split("/");
  if (names.length > MAX_DEPTH) refuse(`is more than ${MAX_DEPTH} folders deep`, RENAME);
  for (const part of names) {
    if (part === "..") refuse("leads outside its folder");
    if (part === "" || part === ".") refuse("has an empty segment or a «.» in its path");
    if (Buffer.byteLength(part) > LONGEST_NAME)
      refuse(`has a name of more than ${LONGEST_NAME} bytes`, RENAME);
    if (WINDOWS_DEVICE.test(part)) refuse("has the name of a device on Windows", RENAME);
    if (/[. ]$/.test(part)) refuse("ends with a dot or a space, which Windows removes", RENAME);
    if (NOT_ON_WINDOWS.test(part))
      refuse('has one of <>:"|?* in its name, which Windows does not allow', RENAME);
  }
  return path;
}
