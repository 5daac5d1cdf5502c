import { posix } from "node:path";
import { Addresses, assignPageAddresses, type PagePlace } from "./addresses.ts";
import { readSourceFolder } from "./sourceFolder.ts";

/**
 * Finds the page for a path as authors write it: the file, the file without its ending, its HTML name, or its folder.
 *
 * @returns the path of the page in the source
 */
export function findPage(path: string, pages: ReadonlyMap<string, PagePlace>): string | undefined {
  const bare = path.replace(/\/$/, "");
  const asFile = [bare, `${bare}.md`, bare.replace(/\.html$/, ".md")].find((name) => pages.has(name));
  if (asFile !== undefined) return asFile;
  const folderPage = posix.join(bare, "index.html");
  for (const [source, page] of pages) if (page.isFolderPage && page.address === folderPage) return source;
  return undefined;
}

/** Those of `paths` that lead to no page of the source. They are relative to the root, with or without a leading slash. */
export async function unknownPaths(root: string, paths: readonly string[]): Promise<string[]> {
  const { pages } = await readSourceFolder(root);
  const places = assignPageAddresses(pages, new Addresses());
  return paths.filter((path) => findPage(fromRoot(path), places) === undefined);
}

/** @throws when one of the paths leads to no page */
export function choosePages(
  paths: readonly string[],
  places: ReadonlyMap<string, PagePlace>,
): ReadonlySet<string> {
  return new Set(
    paths.map((path) => {
      const source = findPage(fromRoot(path), places);
      if (source === undefined) throw new Error(`there is no page ${path}`);
      return source;
    }),
  );
}

function fromRoot(path: string): string {
  return posix.normalize(path.replace(/^\//, ""));
}
