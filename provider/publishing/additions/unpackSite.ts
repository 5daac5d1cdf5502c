import type { Reporter } from "../../base/runtime/messages/reporter";
import { shown } from "../archives/refusal";
import type { SiteLimits, SiteSink } from "../archives/siteSink";
import type { ExternalAssets } from "../externalAssets/externalAssets";
import type { FetchedAsset } from "../externalAssets/fetchedAsset";
import { type BundleFile, unpackBundle, type Unpacking } from "../inspection/bundle";
import type { ExternalLoad } from "../inspection/siteLoads";
import { LLMS_VERSION } from "../llmsTxt/options";
import type { SiteMarkdown } from "../llmsTxt/siteMarkdown";
import { SEARCH_VERSION } from "../offlineSearch/options";
import { pagesWithoutText } from "../offlineSearch/renderedPages";
import { SiteSearch } from "../offlineSearch/siteSearch";
import type { SiteAdditions } from "./additions";
import { PagesWithAdditions } from "./pagesWithAdditions";

/** Facts about what was added to a published site, as outputs show them. Empty without additions. */
export interface AdditionFacts {
  /** Number of pages that the search finds. */
  readonly searchPages?: number;
  /** Version of the index and the search box. */
  readonly searchVersion?: string;
  /** Number of pages in `llms.txt`. */
  readonly llmsPages?: number;
  /** Version of the Markdown and of `llms.txt`. */
  readonly llmsVersion?: string;
  /** What was fetched from other hosts. */
  readonly fetchedAssets?: readonly FetchedAsset[];
  /** Only with what was fetched: whether the site now loads nothing from another host. */
  readonly selfContained?: boolean;
  /** Only with what was fetched: what the site still loads from other hosts. */
  readonly externalLoads?: readonly ExternalLoad[];
}

/** From this share of the pages on that ask to be left out, they may be meant for readers, as in an internal site. */
const NOTED_SHARE = 0.1;

/** What to add to a site. */
export interface WantedAdditions extends SiteAdditions {
  /** Whether the site has a file. @param path below the site's root */
  readonly hasFile: (path: string) => boolean;
  /** The same for a folder: no file can have its name. @default it has none */
  readonly hasFolder?: (path: string) => boolean;
  /** Receives what is worth a warning about pages. @default nobody */
  readonly reporter?: Pick<Reporter, "info" | "warn">;
  /** What was fetched, see `SiteAdditions.fetchExternal`. Fetched before the edition of a copy is known. */
  readonly external?: ExternalAssets | undefined;
  /** Receives what the site still loads from other hosts, before anything is published: it may refuse the site. */
  readonly acceptLoads?: (loads: Required<Pick<AdditionFacts, "selfContained" | "externalLoads">>) => void;
}

/** A sink that changes files on their way to another one, and adds some. */
interface Stage extends SiteSink {
  /** Writes what it adds after the site's last file. The sink then accepts no more files. */
  finish(): Promise<AdditionFacts>;
  /** Ends what it started, whether it was finished or not. */
  end?(): Promise<void>;
}

/**
 * Passes the files of an inspected bundle to a sink, with what is added.
 *
 * @throws BundleRefusedError; the signal's reason; the error of the file system or of the sink
 */
export async function unpackSite(
  bundle: BundleFile,
  limits: SiteLimits,
  sink: SiteSink,
  unpacking: Unpacking,
  wanted?: WantedAdditions,
): Promise<AdditionFacts> {
  // each stage passes files on to the one before it in this list: what is added to pages comes last
  const stages: Stage[] = [];
  const next = (): SiteSink => stages.at(-1) ?? sink;
  if (wanted) stages.push(...(await pageStages(next(), wanted, unpacking.signal)));
  if (wanted?.external !== undefined) stages.push(externalStage(next(), wanted.external, wanted));
  try {
    await unpackBundle(bundle, limits, next(), unpacking);
    let facts: AdditionFacts = {};
    for (const stage of stages.toReversed()) facts = { ...facts, ...(await stage.finish()) };
    return facts;
  } finally {
    for (const stage of stages) await stage.end?.();
  }
}

/** What is added to pages: one stage, because each page is read once for all of it. */
async function pageStages(sink: SiteSink, wanted: WantedAdditions, signal: AbortSignal): Promise<Stage[]> {
  const { offlineSearch, llmsTxt, hasFile, reporter } = wanted;
  if (offlineSearch === undefined && llmsTxt === undefined) return [];
  const options = offlineSearch === true ? {} : offlineSearch;
  const search = options && new SiteSearch(sink, options, hasFile, signal);
  let markdown: SiteMarkdown | undefined;
  if (llmsTxt !== undefined) {
    const { SiteMarkdown } = await import("../llmsTxt/siteMarkdown.js");
    markdown = new SiteMarkdown(llmsTxt, hasFile, wanted.hasFolder);
  }
  const pages = new PagesWithAdditions(sink, { search, markdown }, signal);
  const stage: Stage = {
    file: (file, content) => pages.file(file, content),
    async finish() {
      const { llmsPages, searchPages } = await pages.finish(reporter);
      if (search) warnOfLostPages(search, reporter);
      return {
        ...(searchPages !== undefined && { searchPages, searchVersion: SEARCH_VERSION }),
        ...(llmsPages !== undefined && { llmsPages, llmsVersion: LLMS_VERSION }),
      };
    },
    end: () => pages.end(),
  };
  return [stage];
}

function externalStage(
  next: SiteSink,
  external: ExternalAssets,
  { acceptLoads }: Pick<WantedAdditions, "acceptLoads">,
): Stage {
  const site = external.sink(next);
  return {
    file: (file, content) => site.file(file, content),
    async finish() {
      const facts = await site.finish();
      acceptLoads?.(facts);
      return facts;
    },
  };
}

/** Warns of pages that the search cannot find. */
function warnOfLostPages(site: SiteSearch, reporter: WantedAdditions["reporter"]): void {
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
}
