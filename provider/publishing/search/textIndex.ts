import { hash } from "node:crypto";
import { KnownWords, ownBytes } from "./ownMemory";
import { Postings } from "./postings";
import { languageWordsOf } from "./languageWords";
import { encodedPlaces, FURTHER_SECTIONS, MOST_PLACES, MOST_SEEN } from "./places";
import { beginning, unhyphenated, wordsOf, type Word } from "./words";

/** A part of a page below one heading. */
export interface Section {
  /** The fragment of the page's address that leads to it; empty for the beginning of the page. */
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

/** A file of the index. */
export interface IndexFile {
  /** Name in the folder of the search. */
  readonly name: string;
  readonly text: string;
}

/** A file of data, with the key by which the search box knows it, and the part of the key that depends on its content. */
export interface DataFile extends IndexFile {
  readonly key: string;
  readonly id: string;
}

/** A page as the index keeps it until all pages are known. */
interface IndexedPage {
  /** Path below the site's root. */
  readonly path: string;
  readonly title: string;
  /** What results can quote, as JSON in UTF-8: outside of the heap, and half as large as strings are there. */
  readonly quotable: Buffer;
  /** The same of further sections, in parts. */
  readonly further: readonly Buffer[];
  /** Of all its words, weighted. */
  readonly length: number;
  readonly isList: boolean;
}

/** Weight of a word by where it is: once in a title counts as much as this many times in the text. */
const WEIGHT = { title: 8, heading: 4, path: 3, text: 1, part: 0.5 } as const;
/** Pages that list what changed or where something is: they have nearly all words, and answer few questions. */
const LIST =
  /(?:^|\/)(?:changes|changelog|news|whats-?new|announce(?:ments?)?|[^/]*-announcement|releases|release-\d[^/]*|rel(?:ease)?[_-]?notes|history|deprecat(?:ed|ions)|(?:gen|(?:py-)?mod)index)(?:[/.]|$)/i;
/** Share of the score in such a page for a word that is not in its title. */
const LIST_SHARE = 0.5;
/** A word that is more frequent in a page counts as this often. */
const MOST_FREQUENT = 200;
/** How many times a word must be in a page of average length for half of the highest score. */
const HALF_AT = 4;
/** Share of a page's length in the score: 0 for none, as in BM25. */
const LENGTH_SHARE = 0.6;
/** Share of the highest score for a word in the title, for pages of any length; half of it for a word in a heading. */
const FIELD_SHARE = 0.15;
/** Scores of a word in a page are whole numbers up to this one, written as one character. */
const HIGHEST = 35;
/** More than there are scores: a page's rank times this and its score are one number. */
const SCORES = 64;
/** In larger sites, a word of more than half of the pages lists only the pages with the highest scores, at least this many. */
const MANY_PAGES = 100;
const LEAST_BEST = 200;
/** Words of more than this share of all pages are looked for only if a query has no others. */
const COMMON = 0.7;

/** Target size of the files of words and of texts, in characters before compression. */
const WORDS_SIZE = 8_000;
const TEXTS_SIZE = 10_000;
/** How much text of one page results can quote, in bytes. */
const QUOTABLE = 12_000;
/** How much of one section at least. */
const QUOTABLE_SECTION = 120;
/** Sections of a page that are read to rank it. Others are in files of their own, which are read if a result leads to one. */
const QUOTABLE_SECTIONS = 400;
/** Sections of a page that results can lead to. */
const MOST_SECTIONS = 10_000;

/** Index of the pages of one language. */
export class TextIndex {
  readonly #pages: IndexedPage[] = [];
  /** For each word, a number for each of its pages: 1,024 × the page's number + 256 × its best field + its frequency. */
  readonly #words = new Postings();
  /** For each word, the sections that have it in a text that results cannot quote. They are numbered over all pages. */
  readonly #sections = new Postings();
  /** For each page with such sections, the number of its first one. */
  readonly #firstSections: { readonly page: number; readonly first: number }[] = [];
  #sectionCount = 0;
  readonly #known = new KnownWords();

  /**
   * @param path below the site's root
   * @param title as results show it
   */
  add(path: string, title: string, sections: readonly Section[]): void {
    const number = this.#pages.length;
    const frequencies = new Map<string, number>();
    const fields = new Map<string, number>();
    const stored = quotable(sections.slice(0, QUOTABLE_SECTIONS));
    const isLong = sections.length > stored.length || stored.some(({ text, end }) => end < text.length);
    /** Of a long page: for each word the last section that has it, and how many have it seen and unseen. */
    const places = new Map<string, { last: number; seen: number; unseen: number }>();
    let length = 0;
    const place = (word: string, section: number, isSeen: boolean): void => {
      const { last, seen, unseen } = places.get(word) ?? { last: -1, seen: 0, unseen: 0 };
      if (last === section) return;
      if (isSeen) places.set(word, { last: section, seen: seen + 1, unseen });
      else if (seen < MOST_SEEN && unseen < MOST_PLACES) {
        places.set(word, { last: section, seen, unseen: unseen + 1 });
        this.#sections.add(word, this.#sectionCount + section);
      }
    };
    const add = (word: string, weight: number, field: number): void => {
      frequencies.set(word, (frequencies.get(word) ?? 0) + weight);
      if (field > (fields.get(word) ?? 0)) fields.set(word, field);
    };
    const count = (text: string, weight: number, field: number, section = -1, isSeen = true): void => {
      for (const word of wordsOf(text, this.#known)) {
        length += weight;
        for (const [each, share] of shares(word)) {
          add(each, weight * share, field);
          if (section >= 0) place(each, section, isSeen);
        }
      }
      for (const joined of unhyphenated(text)) {
        add(joined, weight * WEIGHT.part, field);
        if (section >= 0) place(joined, section, isSeen);
      }
    };
    count(title, WEIGHT.title, 2);
    count(path.replace(/(?:index)?\.[a-z]+$/i, ""), WEIGHT.path, 0);
    const unseen: (readonly [section: number, text: string])[] = [];
    for (const [at, { heading, text }] of sections.entries()) {
      const section = isLong ? Math.min(at, MOST_SECTIONS - 1) : -1;
      const { end = 0 } = stored[at] ?? {};
      count(heading, WEIGHT.heading, 1, section, at < stored.length);
      // no word is divided
      const space = end >= text.length ? end : Math.max(0, text.lastIndexOf(" ", end));
      count(text.slice(0, space), WEIGHT.text, 0, section);
      if (space < text.length) unseen.push([section, text.slice(space)]);
    }
    for (const [section, text] of unseen) count(text, WEIGHT.text, 0, section, false);
    if (isLong) {
      this.#firstSections.push({ page: number, first: this.#sectionCount });
      this.#sectionCount += Math.min(sections.length, MOST_SECTIONS);
    }
    for (const [word, frequency] of frequencies) {
      const entry =
        number * 1_024 + (fields.get(word) ?? 0) * 256 + Math.min(MOST_FREQUENT, Math.ceil(frequency));
      this.#words.add(word, entry);
    }
    const further: Buffer[] = [];
    for (
      let from = QUOTABLE_SECTIONS;
      from < Math.min(sections.length, MOST_SECTIONS);
      from += FURTHER_SECTIONS
    )
      further.push(
        asStored(
          quotable(sections.slice(from, Math.min(from + FURTHER_SECTIONS, MOST_SECTIONS)), QUOTABLE_SECTION),
        ),
      );
    this.#pages.push({
      path,
      title,
      quotable: asStored(stored),
      further,
      length,
      isList: LIST.test(path),
    });
  }

  get size(): number {
    return this.#pages.length;
  }

  /**
   * Makes the files of the index one by one, each with bounded work. They are independent of the order of the pages.
   *
   * @param addressOf the address of a page below the site's root
   * @returns as the last one, the file with the list of the others
   */
  *files(language: string, addressOf: (path: string) => string): Generator<DataFile, void, undefined> {
    this.#known.clear(); // no page follows
    const order = this.#pages
      .map((page, number) => ({ page, number }))
      .sort((one, other) => compareTexts(one.page.path, other.page.path));
    const rankOf = new Int32Array(order.length);
    order.forEach(({ number }, rank) => (rankOf[number] = rank));
    const average = this.#pages.reduce((sum, { length }) => sum + length, 0) / this.#pages.length;
    const [words, texts]: [unknown[], unknown[]] = [[], []];
    const listed = (list: unknown[], key: unknown, file: DataFile): DataFile => {
      list.push(key, file.id);
      return file;
    };

    const common: string[] = [];
    const lines = inOrder(this.#words.words()).map((word) => {
      const entries = this.#words.of(word);
      if (order.length > MANY_PAGES && entries.length / order.length > COMMON) common.push(word);
      const places = this.#placesOf(word, rankOf);
      const text = `${word} ${this.#postings(entries, rankOf, average, places)}`;
      // the same words are together, however many places they have
      const size = text.length - [...places.values()].reduce((sum, { length }) => sum + length, 0);
      return { key: word, text, size };
    });
    for (const { first, parts } of inFiles(lines, WORDS_SIZE, 1))
      yield listed(words, first, dataFile("words", JSON.stringify(parts.join("\n"))));

    const furtherOf = new Map<IndexedPage, string[]>();
    const written = new Set<string>(); // pages may have the same sections
    for (const { page } of order) {
      const files = page.further.map((part) => dataFile("text", part.toString()));
      for (const file of files) {
        if (!written.has(file.id)) yield file;
        written.add(file.id);
      }
      if (files.length > 0)
        furtherOf.set(
          page,
          files.map(({ id }) => id),
        );
    }
    const pages = order.values().map(({ page }, rank) => {
      const facts = [page.title, addressOf(page.path), page.path].map((each) => JSON.stringify(each));
      const further = furtherOf.has(page) ? `,${JSON.stringify(furtherOf.get(page))}` : "";
      const text = `[${facts.join(",")},${page.quotable.toString()}${further}]`;
      return { key: rank, text, size: text.length };
    });
    for (const { first, parts } of inFiles(pages, TEXTS_SIZE))
      yield listed(texts, first, dataFile("text", `[${parts.join(",")}]`));
    const [primary = ""] = language.split("-");
    const { stopWords, endings, synonyms } = languageWordsOf(primary, (word) => this.#words.of(word).length);
    const lists = [common.join(" "), stopWords.join(" "), endings.join(" "), synonyms.join("\n")];
    yield dataFile(`lang-${language || "und"}`, JSON.stringify([order.length, words, texts, ...lists]));
  }

  /** For the rank of each page that has a word in a text that results cannot quote, its sections. */
  #placesOf(word: string, rankOf: Int32Array): ReadonlyMap<number, string> {
    const sections = new Map<number, number[]>();
    for (const section of Uint32Array.from(this.#sections.of(word)).sort()) {
      let [low, high] = [0, this.#firstSections.length - 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((this.#firstSections[middle]?.first ?? 0) <= section) low = middle;
        else high = middle - 1;
      }
      const { page = 0, first = 0 } = this.#firstSections[low] ?? {};
      const own = sections.get(page);
      if (own) own.push(section - first);
      else sections.set(page, [section - first]);
    }
    return new Map(Array.from(sections, ([page, own]) => [rankOf[page] ?? 0, encodedPlaces(own)]));
  }

  /**
   * The pages of a word: for each, the distance to the page before in letters, its score in one digit or capital, and its places in a
   * text that results cannot quote.
   */
  #postings(
    entries: readonly number[],
    rankOf: Int32Array,
    average: number,
    places: ReadonlyMap<number, string>,
  ): string {
    const scores = entries.map((entry) => {
      const number = Math.floor(entry / 1_024);
      const relative = (this.#pages[number]?.length ?? 0) / average;
      const half = HALF_AT * (1 - LENGTH_SHARE + LENGTH_SHARE * relative);
      const frequency = entry % 256;
      const field = Math.floor((entry % 1_024) / 256) / 2;
      const score = ((1 - FIELD_SHARE) * frequency) / (frequency + half) + FIELD_SHARE * field;
      const share = field < 1 && this.#pages[number]?.isList ? LIST_SHARE * score : score;
      return (rankOf[number] ?? 0) * SCORES + Math.max(1, Math.round(HIGHEST * share));
    });
    const scored = new Float64Array(scores).sort();
    const isEverywhere = this.#pages.length > MANY_PAGES && scored.length > this.#pages.length / 2;
    const best = isEverywhere
      ? scored
          .map((each) => (SCORES - (each % SCORES)) * 2 ** 40 + each) // the highest scores first, then by rank
          .sort()
          .subarray(0, Math.max(LEAST_BEST, Math.ceil(this.#pages.length / 20)))
          .map((each) => each % 2 ** 40)
          .sort()
      : scored;
    let before = -1;
    let text = isEverywhere ? String(scored.length) : "";
    for (const each of best) {
      const rank = Math.floor(each / SCORES);
      text += `${letters(rank - before)}${(each % SCORES).toString(36).toUpperCase()}${places.get(rank) ?? ""}`;
      before = rank;
    }
    return text;
  }
}

/** A file of data for the search box: a script, because pages that are opened from a disk cannot read other files. */
function dataFile(kind: string, content: string): DataFile {
  // valid in scripts of every age
  const json = content.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  const id = contentId(json);
  const key = `${kind}-${IMMUTABLE}${id}`;
  return {
    id,
    key,
    name: `${key}.js`,
    // with a byte order mark: otherwise a page in another encoding could decide how its scripts are read
    text: `\ufeff(self.docsHostingSearch??=[]).push([${JSON.stringify(key)},${json}])\n`,
  };
}

/** With this prefix, web servers recognise each name with a content id as immutable. */
export const IMMUTABLE = "c0de";

/** Part of a file's name that depends on its content. */
export function contentId(text: string): string {
  return hash("sha256", text).slice(0, 10);
}

/** By UTF-16 code units: no locale. */
export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Words in the order of {@link compareTexts}, sorted in parts: all at once would take too long. */
function* inOrder(words: Iterable<string>): Generator<string, void, undefined> {
  const byBeginning = Map.groupBy(words, (word) => word.slice(0, 1));
  for (const [, some] of [...byBeginning].sort(([one], [other]) => compareTexts(one, other)))
    yield* some.sort(compareTexts);
}

/** A part of a file. */
interface Part<Key> {
  readonly key: Key;
  readonly text: string;
  /** What it counts for the size of the file, in characters. */
  readonly size: number;
}

/**
 * The parts of files, for each file the first key.
 *
 * @param most size of a file, unless it has one part only
 * @param between characters between two parts
 */
function* inFiles<Key>(
  entries: Iterable<Part<Key>>,
  most: number,
  between = 0,
): Generator<{ readonly first: Key; readonly parts: string[] }, void, undefined> {
  let [file, total]: [{ first: Key; parts: string[] } | undefined, number] = [undefined, 0];
  for (const { key, text, size } of entries) {
    if (file && total + size > most) {
      yield file;
      [file, total] = [undefined, 0];
    }
    file ??= { first: key, parts: [] };
    file.parts.push(text);
    total += size + between;
  }
  if (file) yield file;
}

/** A word, and the parts of an identifier, which count less. */
function shares({ text, parts }: Word): [string, number][] {
  return [[text, 1], ...parts.map((part): [string, number] => [part, WEIGHT.part])];
}

/** A number in the letters a to z. */
function letters(number: number): string {
  const last = String.fromCharCode(97 + (number % 26));
  return number < 26 ? last : letters(Math.floor(number / 26)) + last;
}

/** A section with the part of its text that results can quote, which ends at this character of the whole one. */
interface QuotableSection extends Section {
  readonly end: number;
}

/** The part of a page's text that results can quote: of a long page, the beginning of each section. @param most bytes of all sections */
function quotable(sections: readonly Section[], most = QUOTABLE): QuotableSection[] {
  const characters = sections.reduce((sum, { text }) => sum + text.length, 0);
  const bytes = sections.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const total = Math.floor((most * characters) / bytes);
  const share = bytes <= most ? Infinity : Math.max(QUOTABLE_SECTION, Math.floor(total / sections.length));
  return sections.map((section) => {
    const text = beginning(section.text, share);
    return { ...section, text: text === section.text ? text : `${text} …`, end: text.length };
  });
}

function asStored(sections: readonly Section[]): Buffer {
  return ownBytes(JSON.stringify(sections.map(({ anchor, heading, text }) => [anchor, heading, text])));
}
