import { wholeAnchor } from "../anchors";
import { FURTHER_SECTIONS, sectionRange } from "../longPages";
import { type PlacesAt, readPlace, tableOf } from "../placeTable";

/** Loads a data file of the index by its key. */
export type Load = (key: string) => Promise<unknown>;

/** The list of an index: of words and texts, the first word or page of each file, and its id. */
export type Directory = readonly [
  pages: number,
  words: readonly (string | number)[],
  texts: readonly (string | number)[],
  /** Words of most pages of a large site. */
  common: string,
  /** Words of the language that carry no question. */
  stopWords: string,
  /** Endings by which the forms of a word differ; the first one is empty. */
  endings: string,
  /** Words that mean nearly the same, one group a line: those that no page has, `=`, the others. */
  synonyms: string,
];
type StoredSection = readonly [anchor: string | number, heading: string, text: string];
type StoredPage = readonly [
  title: string,
  /** 0 for the same as the path. */
  address: string | 0,
  path: string,
  sections: readonly StoredSection[],
  places?: PlacesAt | 0,
  further?: readonly string[],
];

/** A section of a page, with the part of its text that can be quoted. */
export interface QuotedSection {
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

/** A page of the index. */
export interface QuotedPage {
  readonly title: string;
  readonly address: string;
  readonly path: string;
  /** Those that are read to rank the page. */
  readonly sections: readonly QuotedSection[];
  /** Where its place tables are; none if all texts are stored with the page. */
  readonly places: PlacesAt;
  /** Ids of files with further sections, each with the same number of them except for the last one. */
  readonly further: readonly string[];
}

/** The files that can have words with this start: first the one with the word itself. */
export function filesOf(list: readonly (string | number)[], start: string, word: string): string[] {
  const files: { first: string; id: string; next: string }[] = [];
  for (let at = 0; at < list.length; at += 2) {
    files.push({ first: String(list[at]), id: String(list[at + 1]), next: String(list[at + 2] ?? "\uffff") });
  }
  const own = files.findLastIndex(({ first }) => first <= word);
  return files
    .map((file, at) => ({ ...file, steps: Math.abs(at - own) }))
    .filter(({ first, next }) => first <= `${start}\uffff` && next >= start)
    .sort((one, other) => one.steps - other.steps)
    .map(({ id }) => id);
}

export async function loadPage(page: number, [, , texts]: Directory, load: Load): Promise<QuotedPage> {
  let at = 0;
  while (Number(texts[at + 2]) <= page) at += 2;
  const pages = (await load(`text-c0de${String(texts[at + 1])}`)) as readonly StoredPage[];
  const found = pages[page - Number(texts[at])];
  if (!found) throw new Error("the index has no such page");
  const [title, address, path, sections, places, further = []] = found;
  return {
    title,
    address: address === 0 ? path : address,
    path,
    sections: sections.map(quoted),
    places: places || [],
    further,
  };
}

/**
 * The section of a page with a word of a text that is not stored with the page, by its number; undefined for a word of many sections.
 */
export async function readPlaceOf(
  word: string,
  { sections, further, places }: QuotedPage,
  load: Load,
): Promise<number | undefined> {
  const at = 2 * tableOf(word, places.length / 2);
  const tables = (await load(`text-c0de${String(places[at])}`)) as readonly string[];
  const table = tables[Number(places[at + 1])] ?? "";
  return readPlace(table, word, sectionRange(sections.length, further.length));
}

/** A section of a page: one that is stored with it, or one of the files of further ones. */
export async function readSection(
  { sections, further }: QuotedPage,
  number: number,
  load: Load,
): Promise<QuotedSection | undefined> {
  const beyond = number - sections.length;
  if (beyond < 0) return sections[number];
  const id = further[Math.floor(beyond / FURTHER_SECTIONS)];
  if (id === undefined) return undefined;
  const others = (await load(`text-c0de${id}`)) as readonly StoredSection[];
  const found = others[beyond % FURTHER_SECTIONS];
  return found && quoted(found);
}

function quoted([anchor, heading, text]: StoredSection): QuotedSection {
  return { anchor: wholeAnchor(anchor, heading), heading, text };
}
