import { createHash } from "node:crypto";
import { unpackBundle, type BundleFile, type Unpacking } from "../archive/bundle";
import type { SiteLimits, SiteSink } from "../archive/site";
import type { OfflineSearch } from "./options";
import { SEARCH_VERSION, SiteSearch } from "./siteSearch";

/** Facts about the search of a published site. Empty without a search. */
export interface SearchFacts {
  /** Number of pages that the search finds. */
  readonly searchPages?: number;
  /** Version of the index and the search box. */
  readonly searchVersion?: string;
}

/** Identifies what is published: the archive's digest or, with a search, a digest of all that the content depends on. */
export function editionOf(sha256: string, search: OfflineSearch | undefined): string {
  return search === undefined
    ? sha256
    : createHash("sha256")
        .update(JSON.stringify([sha256, SEARCH_VERSION, search]))
        .digest("hex");
}

/** A search to add to a site. */
export interface WantedSearch {
  readonly options: OfflineSearch;
  /** Whether the site has a file. @param path below the site's root */
  readonly hasFile: (path: string) => boolean;
}

/**
 * Passes the files of an inspected bundle to a sink, and adds a search if one is wanted.
 *
 * @throws BundleRefusedError; the signal's reason; the error of the file system or of the sink
 */
export async function unpackSite(
  bundle: BundleFile,
  limits: SiteLimits,
  sink: SiteSink,
  unpacking: Unpacking,
  search?: WantedSearch,
): Promise<SearchFacts> {
  if (search === undefined) {
    await unpackBundle(bundle, limits, sink, unpacking);
    return {};
  }
  const { options, hasFile } = search;
  const site = new SiteSearch(sink, options === true ? {} : options, hasFile, unpacking.signal);
  await unpackBundle(bundle, limits, site, unpacking);
  return { searchPages: await site.finish(), searchVersion: SEARCH_VERSION };
}
