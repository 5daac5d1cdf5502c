import type { CopiedFiles } from "../destination/destination";

/** The maximum number of paths that each list of changes has. */
export const MAX_CHANGED_PATHS = 100;

/** Files of a site that changed in one way. */
export interface ChangedFiles {
  /** Number of files. */
  readonly count: number;
  /** Paths below the site's root, such as `guide/index.html`, sorted: the first 100. */
  readonly paths: readonly string[];
}

/** How the site of a copy differs from the site of the copy before. */
export interface SiteChanges {
  /** URI of the copy before, with its digest. */
  readonly since: string;
  /** Files that only this copy has. */
  readonly added: ChangedFiles;
  /** Files with other content. */
  readonly changed: ChangedFiles;
  /** Files that only the copy before has. */
  readonly removed: ChangedFiles;
}

/**
 * Compares the files of two sites.
 *
 * @param since the URI of the copy before
 * @param before its files
 * @param now SHA-256 of each file of the site, by path below its root
 */
export function changesBetween(
  since: string,
  { files: before, derived }: CopiedFiles,
  now: ReadonlyMap<string, string>,
): SiteChanges {
  const added: string[] = [];
  const changed: string[] = [];
  for (const [path, sha256] of now) {
    const earlier = before.get(path);
    if (earlier === undefined) added.push(path);
    else if (earlier !== sha256) changed.push(path);
  }
  const removed = [...before.keys()].filter((path) => !now.has(path) && derived?.has(path) !== true);
  return { since, added: listOf(added), changed: listOf(changed), removed: listOf(removed) };
}

/** The changes of a copy with the same site. */
export function noChanges(since: string): SiteChanges {
  return changesBetween(since, { files: new Map() }, new Map());
}

function listOf(paths: string[]): ChangedFiles {
  return { count: paths.length, paths: paths.sort().slice(0, MAX_CHANGED_PATHS) };
}
