import { hash } from "node:crypto";
import { unpackBundle, type BundleFile, type Unpacking } from "../inspection/bundle";
import type { SiteLimits, SiteSink } from "../archives/site";
import { shown } from "../archives/refusal";
import type { Reporter } from "../../base/runtime/messages/reporter";
import { canonical, type OfflineSearch } from "./options";
import { pagesWithoutText } from "./readPage";
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
  if (search === undefined) return sha256;
  return hash("sha256", JSON.stringify([sha256, SEARCH_VERSION, canonical(search)]));
}

/** From this share of the pages on that ask to be left out, they may be meant for readers, as in an internal site. */
const NOTED_SHARE = 0.1;

/** A search to add to a site. */
export interface WantedSearch {
  readonly options: OfflineSearch;
  /** Whether the site has a file. @param path below the site's root */
  readonly hasFile: (path: string) => boolean;
  /** Receives a warning about pages that the search cannot find. @default none */
  readonly reporter?: Pick<Reporter, "warn">;
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
  const { options, hasFile, reporter } = search;
  const site = new SiteSearch(sink, options === true ? {} : options, hasFile, unpacking.signal);
  await unpackBundle(bundle, limits, site, unpacking);
  const searchPages = await site.finish();
  const left = site.noindexPages;
  const seen = site.pages.length + left.length;
  if (left.length > NOTED_SHARE * seen) {
    const [first = ""] = left.toSorted();
    reporter?.warn(
      `offlineSearch leaves out ${left.length} of ${seen} pages, such as ${shown(first)}: they ask search engines to leave them out ` +
        '(<meta name="robots" content="noindex">). To find them, too, set `offlineSearch: { includeNoindex: true }`',
    );
  }
  const lacking = pagesWithoutText(site.pages);
  if (lacking !== undefined) {
    const { count, of, first } = lacking;
    reporter?.warn(
      `offlineSearch finds no text of ${count} of ${of} pages, such as ${shown(first)}: scripts make it in the reader's browser. ` +
        "Let the generator write it into the pages (prerendering, static generation), or leave these pages out with `exclude`",
    );
  }
  return { searchPages, searchVersion: SEARCH_VERSION };
}
