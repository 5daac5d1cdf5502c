import type { SiteChanges } from "pulumi-docs-hosting";

/**
 * The paths to invalidate in a CDN, as CloudFront takes them: every address of each file that was added, changed or
 * removed. An added file counts, because the CDN may have cached its absence. If not all paths are known, everything.
 */
export function invalidationPaths(changes: SiteChanges | undefined): string[] {
  if (changes === undefined) return ["/*"];
  const kinds = [changes.added, changes.changed, changes.removed];
  if (kinds.some(({ count, paths }) => count > paths.length)) return ["/*"];
  return kinds.flatMap(({ paths }) => paths.flatMap(addressesOf)).sort();
}

/** The addresses of a file. A page of a site in a bucket also has one without `.html`, and an index page that of its folder. */
function addressesOf(path: string): string[] {
  const address = `/${path.split("/").map(encodeURIComponent).join("/")}`;
  if (/(?:^|\/)index\.html$/.test(path)) return [address, address.slice(0, -"index.html".length)];
  return path.endsWith(".html") ? [address, address.slice(0, -".html".length)] : [address];
}
