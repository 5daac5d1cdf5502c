import { basename } from "node:path/posix";
import { hasRelativeAddress } from "../../../inspection/relativeAddresses";
import type { SiteBuffer } from "./siteBuffer";
import type { SiteObject } from "./siteObjects";

/** A larger page is not read for its addresses, in bytes. */
const LARGEST_READ = 16 * 1024 * 1024;

/**
 * Replaces each index document that would be a copy of the page beside its folder (`guide/index.html` of `guide.html`) by one that leads
 * on to the page, if the page has relative addresses: one folder deeper, they would lead nowhere.
 */
export async function withLeadingPages(
  stages: readonly (readonly SiteObject[])[],
  buffer: SiteBuffer,
): Promise<SiteObject[][]> {
  const replaced = async (object: SiteObject): Promise<SiteObject> => {
    const { size, indexFor } = object;
    if (indexFor === undefined) return object;
    if (size <= LARGEST_READ && !hasRelativeAddress(await buffer.read(object))) return object;
    const page = await buffer.add(Buffer.from(leadingPage(basename(indexFor))));
    return { ...object, ...page };
  };
  return Array.fromAsync(stages, (stage) => Array.fromAsync(stage, replaced)); // one after the other
}

/** A page that leads to one in the folder above it, with query and fragment if scripts run. */
function leadingPage(name: string): string {
  const address = `../${encodeURIComponent(name)}`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>This page is at another address</title>
<meta name="robots" content="noindex">
<link rel="canonical" href="${address}">
<script>location.replace("${address}" + location.search + location.hash)</script>
<meta http-equiv="refresh" content="0; url=${address}">
<p><a href="${address}">This page is at another address.</a></p>
</html>
`;
}
