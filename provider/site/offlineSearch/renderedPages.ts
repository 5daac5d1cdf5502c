import { createHash } from "node:crypto";
import type { PageText } from "./pageText";

/** A page with a script and fewer characters has probably no text of its own: the script makes it. */
const FEWEST_CHARACTERS = 200;

/** From so many pages on, a text that all of them have is none of their own. */
const EQUAL_PAGES = 20;
/** The same for pages at other places in their folders: the versions of a site have equal pages, at the same places. */
const EQUAL_PLACES = 3;

/** Pages that have no text in the archive. */
export interface PagesWithoutText {
  readonly count: number;
  /** Number of all pages. */
  readonly of: number;
  /** Path of one of them. */
  readonly first: string;
}

/** What decides whether a script makes the text of a page. */
export interface RenderedText {
  /** The same for pages with the same text. */
  readonly digest: string;
  readonly isShort: boolean;
}

/** Undefined for a page without a script. */
export function renderedText({ hasScript, sections }: PageText): RenderedText | undefined {
  if (!hasScript) return undefined;
  let characters = 0;
  const digest = createHash("sha256");
  for (const { heading, text } of sections) {
    characters += heading.length + text.length;
    digest.update(`${heading}\0${text}\0`);
  }
  return { digest: digest.digest("base64"), isShort: characters < FEWEST_CHARACTERS };
}

/**
 * Pages whose text scripts make in the browser, if they are at least half of all pages: they have a script and nearly no text, or the same
 * one as many others. A search that reads files cannot find them.
 */
export function pagesWithoutText(
  pages: readonly { readonly path: string; readonly rendered: RenderedText | undefined }[],
): PagesWithoutText | undefined {
  const groups = new Map<string, { paths: string[]; readonly isShort: boolean }>();
  for (const { path, rendered } of pages) {
    if (rendered === undefined) continue;
    const { digest, isShort } = rendered;
    const group = groups.get(digest) ?? { paths: [], isShort };
    group.paths.push(path);
    groups.set(digest, group);
  }
  const lacking = [...groups.values()].filter(
    ({ paths, isShort }) =>
      isShort || paths.length >= EQUAL_PAGES || new Set(paths.map(placeOf)).size >= EQUAL_PLACES,
  );
  const [first] = lacking[0]?.paths ?? [];
  const count = lacking.reduce((sum, { paths }) => sum + paths.length, 0);
  return first === undefined || 2 * count < pages.length ? undefined : { count, of: pages.length, first };
}

/** The path below the first folder, which may be a version. */
function placeOf(path: string): string {
  return path.slice(path.indexOf("/") + 1);
}
