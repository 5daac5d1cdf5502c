import { hash } from "node:crypto";
import { ownBytes } from "../search/ownMemory";
import type { PageText } from "./pageText";

/** A page with a script and fewer characters has probably no text of its own: the script makes it. */
const FEWEST_CHARACTERS = 200;

/** From so many pages on, a text that all of them have is none of their own. */
const EQUAL_PAGES = 20;
/** The same for pages at other places in their folders: the versions of a site have equal pages, at the same places. */
const EQUAL_PLACES = 3;

/** A page as the search keeps it until all pages are read: its text once, and outside of the heap. */
export type ReadPage = ReturnType<typeof readPage>;

/** Keeps what the search needs of a page. */
export function readPage(path: string, text: PageText) {
  const { language, title } = text;
  const sections = ownBytes(JSON.stringify(text.sections));
  return {
    path,
    language,
    title,
    /** The first one; empty if the page has none. */
    heading: text.sections.find(({ heading }) => heading !== "")?.heading ?? "",
    /** As JSON. */
    sections,
    /** The same for pages with the same text and anchors. */
    digest: hash("sha256", sections, "base64"),
    /** Set if a script runs on the page. */
    rendered: renderedText(text),
  };
}

/** Undefined for a page without a script. The digest is the same for pages with the same text. */
function renderedText({ hasScript, sections }: PageText) {
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
export function pagesWithoutText(pages: readonly Pick<ReadPage, "path" | "rendered">[]) {
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
