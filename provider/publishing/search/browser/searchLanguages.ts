import { lineOf } from "../languageVariants";
import { type Load, MOST_RESULTS, type Result, search } from "./query";

/** An index: the language of its pages in lower case, such as `de` or `pt-br`, and the key of its directory. */
export type Language = readonly [language: string, key: string];

/**
 * Searches in the language of the reader's page: its own variant first, then other variants of the language. Other languages are searched
 * only if nothing is found in it.
 *
 * @param own the language of the page in lower case; empty if it does not say
 */
export async function searchLanguages(
  query: string,
  languages: readonly Language[],
  own: string,
  load: Load,
): Promise<Result[]> {
  const near = (language: string): number => nearness(language, own);
  const order = [...languages].sort(([one], [other]) => near(other) - near(one));
  let found: Result[] = [];
  for (const [language, key] of order) {
    if (found.length > 0 && near(language) === 0) break;
    if (found.length >= MOST_RESULTS) break;
    found = [...found, ...(await search(query, key, load))];
  }
  return found.slice(0, MOST_RESULTS);
}

/** How near a language is to that of the page, by what their lines have in common: 0 for another one. */
function nearness(language: string, own: string): number {
  const [line, ownLine] = [lineOf(language), lineOf(own)];
  const different = ownLine.findIndex((each, at) => each !== line[at]);
  return different < 0 ? ownLine.length : different;
}
