import type { ReadPage } from "../sitePages/readPage";

/** From so many pages on, a text that all of them have is none of their own. */
const EQUAL_PAGES = 20;
/** The same for pages at other places in their folders: the versions of a site have equal pages, at the same places. */
const EQUAL_PLACES = 3;

interface SearchedPage extends Pick<ReadPage, "rendered"> {
  readonly path: string;
}

/** Pages without text. */
interface LackingPages {
  readonly count: number;
  /** Number of all pages. */
  readonly of: number;
  /** The path of one of them. */
  readonly first: string;
}

/**
 * Pages whose text scripts make in the browser, if they are at least half of all pages: they have a script and nearly no text, or the same
 * one as many others. A search that reads files cannot find them.
 */
export function pagesWithoutText(pages: readonly SearchedPage[]): LackingPages | undefined {
  const isEmpty = (same: typeof pages): boolean => {
    // below the first folder, which may be a version
    const places = new Set(same.map(({ path }) => path.slice(path.indexOf("/") + 1)));
    return same[0]?.rendered?.isShort === true || same.length >= EQUAL_PAGES || places.size >= EQUAL_PLACES;
  };
  const rendered = pages.filter((page) => page.rendered !== undefined);
  const lacking = [...Map.groupBy(rendered, (page) => page.rendered?.digest).values()].filter(isEmpty).flat();
  const [first] = lacking;
  if (first === undefined || 2 * lacking.length < pages.length) return undefined;
  return { count: lacking.length, of: pages.length, first: first.path };
}
