import { isImmutable } from "../../../inspection/immutableFiles";
import { isPage } from "../../../inspection/mediaTypes";
import type { FileHeaders } from "../fileHeaders";
import type { Revision } from "../objectStore";

/** A file of a site in the buffer, before it is sent. */
export interface BufferedFile {
  /** Below the site's root. */
  readonly path: string;
  readonly size: number;
  /** SHA-256 of its content: hexadecimal digits. */
  readonly sha256: string;
  /** Offset of its content in the buffer, in bytes. */
  readonly offset: number;
  readonly headers: FileHeaders;
  /** Of its object, once that is sent; empty before. */
  revision: Revision;
}

/** A file that becomes one object. */
export interface SiteObject extends BufferedFile {
  /** A page is sent a second time, under this path. */
  readonly isDerived?: true;
  /** The path of the page whose folder it is the index document of. */
  readonly indexFor?: string;
}

/**
 * The objects of a site, in the order of upload: files that only new pages load, other files, pages, the start page. A browser
 * that loads a page during the upload finds everything that the page needs.
 *
 * Static hosting answers `/guide/` with the index document `guide/index.html`, but does not find `guide.html` for `/guide`, which
 * several generators link to. Such a page is therefore sent a second time, without its extension. If that is impossible, it
 * becomes the index document of the folder with its name, to which static hosting redirects `/guide`.
 *
 * @param existing the paths that exist below the prefix, in a store that cannot have `guide` beside `guide/install.html`, such as
 *   one that stores objects as files; undefined for a store that can
 * @param hasCleanUrls whether pages are sent a second time
 */
export function siteObjects(
  files: readonly BufferedFile[],
  existing: readonly string[] | undefined,
  hasCleanUrls = true,
): SiteObject[][] {
  const taken = new Set(files.map(({ path }) => path));
  const folders = existing === undefined ? new Set<string>() : foldersOf([...taken, ...existing]);
  const stages: SiteObject[][] = [[], [], [], []];
  for (const file of files) {
    const stage = file.path === "index.html" ? 3 : isPage(file.path) ? 2 : isImmutable(file.path) ? 0 : 1;
    stages[stage]?.push(file);
    const clean = hasCleanUrls ? cleanPath(file.path) : undefined;
    if (clean === undefined || taken.has(clean)) continue;
    const isIndex = folders.has(clean);
    const path = isIndex ? `${clean}/index.html` : clean;
    if (taken.has(path)) continue;
    stages[2]?.push({ ...file, path, isDerived: true, ...(isIndex && { indexFor: file.path }) });
  }
  return stages;
}

/**
 * The paths at which {@link siteObjects} may have sent a page a second time, for records that do not say so.
 *
 * @param files SHA-256 of each object, by path
 */
export function secondPaths(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([page, sha256]) => {
    const clean = cleanPath(page);
    if (clean === undefined) return [];
    return [clean, `${clean}/index.html`].filter((path) => files.get(path) === sha256);
  });
}

/** Whether pages of a site were not sent a second time although they could have been. @param derived as its record lists them */
export function lacksCleanUrls(files: ReadonlyMap<string, unknown>, derived: readonly string[]): boolean {
  if (derived.length > 0) return false;
  return [...files.keys()].some((path) => {
    const clean = cleanPath(path);
    return clean !== undefined && !files.has(clean) && !files.has(`${clean}/index.html`);
  });
}

/** The given paths that conflict with a site's objects in a store where a name is either a file or a folder. */
export function conflictingPaths(paths: Iterable<string>, objects: readonly SiteObject[]): string[] {
  const files = new Set(objects.map(({ path }) => path));
  const folders = foldersOf(files);
  return [...paths].filter(
    (path) => folders.has(path) || foldersAbove(path).some((folder) => files.has(folder)),
  );
}

function cleanPath(path: string): string | undefined {
  if (!path.endsWith(".html") || path === "404.html") return undefined;
  const clean = path.slice(0, -".html".length);
  const name = clean.slice(clean.lastIndexOf("/") + 1);
  return name === "" || name === "index" ? undefined : clean;
}

/** The folders that paths are in, with those above them. */
function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (const folder of foldersAbove(path)) {
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

/** The folders above a path, from the inside out. */
function* foldersAbove(path: string): Generator<string> {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    yield path.slice(0, end);
  }
}
