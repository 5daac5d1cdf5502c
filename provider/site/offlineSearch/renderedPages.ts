import { hash } from "node:crypto";
import type { PageText } from "./pageText";

/** A page with a script and fewer characters has probably no text of its own: the script makes it. */
const FEWEST_CHARACTERS = 200;

/** From so many pages on, a text that all of them have is none of their own. */
const EQUAL_PAGES = 20;
/** The same for pages at other places in their folders: the versions of a site have equal pages, at the same places. */
const EQUAL_PLACES = 3;

/** What decides whether a script makes the text of a page. */
export type RenderedText = ReturnType<typeof renderedText>;

/** Undefined for a page without a script. The digest is the same for pages with the same text. */
export function renderedText({ hasScript, sections }: PageText) {
  if (!hasScript) return undefined;
  const texts = sections.flatMap(({ heading, text }) => [heading, text]);
  const isShort = texts.join("").length < FEWEST_CHARACTERS;
  return { digest: hash("sha256", texts.join("\0"), "base64"), isShort };
}

/**
 * Pages whose text scripts make in the browser, if they are at least half of all pages: they have a script and nearly no text, or the same
 * one as many others. A search that reads files cannot find them.
 *
 * @returns how many they are, `of` how many, and the path of one of them
 */
export function pagesWithoutText(
  pages: readonly { readonly path: string; readonly rendered: RenderedText }[],
) {
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
