import { isPage } from "../../archive/siteLoads";
import { headersOf, isImmutable, type FileHeaders } from "./fileHeaders";

/** A file of a site, held here until it is sent. */
export interface HeldFile {
  /** Below the site's root. */
  readonly path: string;
  readonly size: number;
  /** Of its content: hexadecimal digits. */
  readonly sha256: string;
  /** Where its content begins in the spool. */
  readonly offset: number;
}

/** What becomes one object. */
export interface SiteObject extends HeldFile {
  readonly headers: FileHeaders;
}

/**
 * The objects of a site, in stages: what only a new page asks for, other files, pages, the start page. Whoever loads a page
 * while they are sent finds what it needs.
 *
 * Static hosting answers `/guide/` with `guide/index.html` by its index document, but knows nothing of `guide.html` at
 * `/guide`, which several generators link to: such a page is there a second time, without its ending. Where that cannot be,
 * it is the index document of the folder that has its name, to which static hosting leads `/guide`.
 *
 * @param standing what is below the prefix already, in a store that cannot have `guide` beside `guide/install.html`, as those that
 *   keep objects as files; undefined for one that can
 */
export function siteObjects(
  files: readonly HeldFile[],
  standing: readonly string[] | undefined,
): SiteObject[][] {
  const taken = new Set(files.map(({ path }) => path));
  const folders = new Set(standing && [...taken, ...standing].flatMap(foldersOf));
  const stages: SiteObject[][] = [[], [], [], []];
  for (const file of files) {
    const headers = headersOf(file.path);
    const stage = file.path === "index.html" ? 3 : isPage(file.path) ? 2 : isImmutable(file.path) ? 0 : 1;
    stages[stage]?.push({ ...file, headers });
    const clean = cleanPath(file.path);
    if (clean === undefined || taken.has(clean)) continue;
    const path = folders.has(clean) ? `${clean}/index.html` : clean;
    if (!taken.has(path)) stages[2]?.push({ ...file, path, headers });
  }
  return stages;
}

/** The paths among some that cannot be beside a site's objects where a name is a file or a folder. */
export function pathsInTheWay(paths: Iterable<string>, objects: readonly SiteObject[]): string[] {
  const files = new Set(objects.map(({ path }) => path));
  const folders = new Set([...files].flatMap(foldersOf));
  return [...paths].filter(
    (path) => folders.has(path) || foldersOf(path).some((folder) => files.has(folder)),
  );
}

function cleanPath(path: string): string | undefined {
  const [, clean, name] = /^((?:.*\/)?([^/]+))\.html$/.exec(path) ?? [];
  return name === "index" || path === "404.html" ? undefined : clean;
}

function foldersOf(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}
