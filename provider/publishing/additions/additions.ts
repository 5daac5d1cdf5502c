import { hash } from "node:crypto";
import { compareTexts } from "../../base/runtime/values/textOrder";
import { canonicalFetch, FETCH_VERSION, type FetchExternal } from "../externalAssets/options";
import { LLMS_VERSION, type LlmsTxt } from "../llmsTxt/options";
import { type OfflineSearch, SEARCH_VERSION } from "../offlineSearch/options";

/** What is added to a site while it is published. The inputs of copies and kits have these names. */
export interface SiteAdditions {
  /** The search in it, if any: `true`, or options. */
  readonly offlineSearch?: OfflineSearch;
  /** The Markdown of its pages, and their list for programs, if any: `true`, or options. */
  readonly llmsTxt?: LlmsTxt;
  /** What is fetched of that which its pages load from other hosts, if anything: `true`, or options. */
  readonly fetchExternal?: FetchExternal;
}

/** The name of an addition: that of its input. */
type AdditionName = keyof SiteAdditions;

/** What this package knows of an addition. */
interface Addition {
  /** Increased with every change of the content that is added. */
  readonly version: string;
  /** Its name in an SBOM. */
  readonly component: string;
  /** Made of content of other hosts: an import tries it only if its ID names it. */
  readonly isOfOthers?: true;
}

/** One row per addition, in the order of documents about a site. The only list of them. */
const ADDITIONS: Readonly<Record<AdditionName, Addition>> = {
  offlineSearch: { version: SEARCH_VERSION, component: "offline-search" },
  llmsTxt: { version: LLMS_VERSION, component: "llms-txt" },
  fetchExternal: { version: FETCH_VERSION, component: "fetch-external", isOfOthers: true },
};

export const ADDITION_NAMES = Object.keys(ADDITIONS) as readonly AdditionName[];

/** The additions that an import tries if its ID does not name them. */
export const GUESSED_ADDITIONS: (keyof SiteAdditions)[] = ADDITION_NAMES.filter(
  (name) => ADDITIONS[name].isOfOthers !== true,
);

/** An addition that was made, for documents about the site. */
export interface MadeAddition extends Addition {
  readonly name: AdditionName;
  readonly options: NonNullable<SiteAdditions[AdditionName]>;
}

/** Of inputs, only the additions that are wanted. */
export function additionsOf(inputs: SiteAdditions): SiteAdditions {
  return Object.fromEntries(wantedIn(inputs).map(({ name, options }) => [name, options]));
}

/** The wanted additions, in the order of {@link ADDITION_NAMES}. */
export function wantedIn(inputs: SiteAdditions = {}): MadeAddition[] {
  return ADDITION_NAMES.flatMap((name) => {
    const options = inputs[name];
    return options === undefined ? [] : [{ name, options, ...ADDITIONS[name] }];
  });
}

/**
 * Identifies what is published: the archive's digest or, with additions, a digest of all that the content depends on. That of a site with
 * a search alone is the same as in versions that had no other addition: their copies have no diff.
 */
export function editionOf(
  sha256: string,
  additions?: SiteAdditions & { readonly external?: { readonly digest: string } | undefined },
): string {
  const wanted = wantedIn(additions);
  if (wanted.length === 0) return sha256;
  const partsOf = ({ name, version, options }: MadeAddition): unknown[] => [
    name,
    version,
    ...(name === "fetchExternal"
      ? [canonicalFetch(options), additions?.external?.digest]
      : [canonical(options)]),
  ];
  const [first, ...others] = wanted;
  const parts =
    others.length === 0 && first?.name === "offlineSearch"
      ? [first.version, canonical(first.options)]
      : wanted.map(partsOf);
  return hash("sha256", JSON.stringify([sha256, ...parts]));
}

/** The same text as JSON for the same options, whatever the order in which a program names them. */
function canonical(options: true | object): true | object {
  if (options === true) return options;
  const entries = Object.entries(options).sort(([one], [other]) => compareTexts(one, other));
  return Object.fromEntries(entries);
}
