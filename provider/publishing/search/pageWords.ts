import { furtherFiles, MOST_SECTIONS, RANKED_SECTIONS, sectionRange } from "./longPages";
import type { KnownWords } from "./ownMemory";
import { writePlaces } from "./placeTable";
import { quotable, type QuotableSection, type Section } from "./sections";
import { LONGEST_WORD, nameOf, unhyphenated, wordsOf } from "./words";

/** Weight of a word by where it is: once in a title counts as much as this many times in the text. */
const WEIGHT = { title: 8, heading: 4, path: 3, text: 1, part: 0.5 } as const;
/** Where a word is, the best last. */
const FIELD = { text: 0, heading: 1, title: 2 } as const;
/** Words of a page whose sections are known. */
const MOST_PLACED = 30_000;
/** A word of more sections leads to none of them. */
const MOST_SECTIONS_OF_WORD = 3;

/** The words of a page, and the sections that results can quote. */
interface PageWords {
  /** How often each word is in the page, weighted. */
  readonly frequencies: ReadonlyMap<string, number>;
  /** Of words that are not only in the text: 1 for a heading, 2 for the title. */
  readonly fields: ReadonlyMap<string, number>;
  /** Of all words, weighted. */
  readonly length: number;
  /** Those that are read to rank the page. */
  readonly sections: readonly QuotableSection[];
  /** Where the words are that results cannot quote, as `placeTable.ts` writes it; none if they can quote all. */
  readonly places: readonly string[];
}

/** The section that has a word most often, of those that were read. */
interface FrequentSection {
  section: number;
  most: number;
  /** The section that is read, and how often it has the word. */
  current: number;
  count: number;
  sections: number;
}

/** Reads the words of a page. @param known the words of the site's runs of letters */
export function pageWordsOf(
  path: string,
  title: string,
  sections: readonly Section[],
  known: KnownWords,
): PageWords {
  const frequencies = new Map<string, number>();
  const fields = new Map<string, number>();
  const places = new Map<string, FrequentSection>();
  let length = 0;
  const add = (term: string, share: number, field: number, section: number): void => {
    const before = frequencies.get(term);
    frequencies.set(term, (before ?? 0) + share);
    if (field > FIELD.text && field > (fields.get(term) ?? 0)) fields.set(term, field);
    if (section >= 0) locate(places, term, section, before === undefined);
  };
  /** @param section that of a text that results cannot quote, else -1 */
  const count = (text: string, weight: number, field: number, section = -1): void => {
    for (const word of wordsOf(text, known)) {
      length += weight;
      add(word.text, weight, field, section);
      for (const part of word.parts) add(part, weight * WEIGHT.part, field, section);
    }
    for (const joined of unhyphenated(text, field === FIELD.text)) {
      add(joined, weight * WEIGHT.part, field, section);
    }
  };
  count(title, WEIGHT.title, FIELD.title);
  count(nameOf(path), WEIGHT.path, FIELD.text);
  const ranked = quotable(sections.slice(0, RANKED_SECTIONS));
  /** All that results can quote is read before the rest, which then only has places for other words. */
  const rest: (readonly [at: number, from: number])[] = [];
  for (const [at, { heading, text }] of sections.entries()) {
    const quoted = ranked[at];
    if (quoted === undefined) {
      rest.push([at, 0]);
      continue;
    }
    count(heading, WEIGHT.heading, FIELD.heading);
    const { to, from } = cut(text, quoted.end);
    count(text.slice(0, to), WEIGHT.text, FIELD.text);
    if (from < text.length) rest.push([at, from]);
  }
  for (const [at, from] of rest) {
    const { heading = "", text = "" } = sections[at] ?? {};
    const section = Math.min(at, MOST_SECTIONS - 1);
    if (at >= ranked.length) count(heading, WEIGHT.heading, FIELD.heading, section);
    count(text.slice(from), WEIGHT.text, FIELD.text, section);
  }
  const range = sectionRange(ranked.length, furtherFiles(sections.length));
  const sectionOf = new Map(
    Array.from(places, ([term, { section, sections: count }]) => [
      term,
      count > MOST_SECTIONS_OF_WORD ? undefined : section,
    ]),
  );
  return { frequencies, fields, length, sections: ranked, places: writePlaces(sectionOf, range) };
}

/** Notes the place of a word. @param isNew whether the page did not have it before */
function locate(places: Map<string, FrequentSection>, term: string, section: number, isNew: boolean): void {
  const place = places.get(term);
  if (place === undefined) {
    if (isNew && places.size < MOST_PLACED) {
      places.set(term, { section, most: 1, current: section, count: 1, sections: 1 });
    }
    return;
  }
  if (place.current !== section) place.sections++;
  place.count = place.current === section ? place.count + 1 : 1;
  place.current = section;
  if (place.count > place.most) [place.section, place.most] = [section, place.count];
}

/** Where the part of a text that results can quote ends, and where the rest begins. No word is divided. */
function cut(text: string, end: number): { readonly to: number; readonly from: number } {
  if (end >= text.length) return { to: end, from: end };
  const space = text.lastIndexOf(" ", end);
  // a script without spaces: the pair of characters at the end belongs to the rest
  return end - space > LONGEST_WORD ? { to: end, from: Math.max(0, end - 1) } : { to: space, from: space };
}
