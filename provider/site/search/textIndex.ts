import { hash } from "node:crypto";
import { KnownWords, ownBytes } from "./ownMemory";
import { Postings } from "./postings";
import { languageWordsOf } from "./languageWords";
import { beginning, wordsOf, type Word } from "./words";

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
const MOST_SECTIONS = 400;

/** Index of the pages of one language. */
export class TextIndex {
  readonly #pages: IndexedPage[] = [];
  /** For each word, a number for each of its pages: 1,024 × the page's number + 256 × its best field + its frequency. */
  readonly #words = new Postings();
  readonly #known = new KnownWords();

  /**
   * @param path below the site's root
   * @param title as results show it
   */
  add(path: string, title: string, sections: readonly Section[]): void {
    const number = this.#pages.length;
    const frequencies = new Map<string, number>();
    const fields = new Map<string, number>();
    let length = 0;
    const count = (text: string, weight: number, field = 0): void => {
      for (const word of wordsOf(text, this.#known)) {
        length += weight;
        for (const [each, share] of shares(word)) {
          frequencies.set(each, (frequencies.get(each) ?? 0) + weight * share);
          if (field > (fields.get(each) ?? 0)) fields.set(each, field);
        }
      }
    };
    count(title, WEIGHT.title, 2);
    count(path.replace(/(?:index)?\.[a-z]+$/i, ""), WEIGHT.path);
    for (const { heading, text } of sections) {
      count(heading, WEIGHT.heading, 1);
      count(text, WEIGHT.text);
    }
    for (const [word, frequency] of frequencies) {
      const entry =
        number * 1_024 + (fields.get(word) ?? 0) * 256 + Math.min(MOST_FREQUENT, Math.ceil(frequency));
      this.#words.add(word, entry);
    }
    const quoted = quotable(sections).map(({ anchor, heading, text }) => [anchor, heading, text]);
    this.#pages.push({
      path,
      title,
      quotable: ownBytes(JSON.stringify(quoted)),
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
      return [word, `${word} ${this.#postings(entries, rankOf, average)}`] as const;
    });
    for (const { first, parts } of inFiles(lines, WORDS_SIZE, 1))
      yield listed(words, first, dataFile("words", JSON.stringify(parts.join("\n"))));

    const pages = order.values().map(({ page }, rank) => {
      const facts = [page.title, addressOf(page.path), page.path].map((each) => JSON.stringify(each));
      return [rank, `[${facts.join(",")},${page.quotable.toString()}]`] as const;
    });
    for (const { first, parts } of inFiles(pages, TEXTS_SIZE))
      yield listed(texts, first, dataFile("text", `[${parts.join(",")}]`));
    const { stopWords, endings, synonyms } = languageWordsOf(language, (word) => this.#words.of(word).length);
    const lists = [common.join(" "), stopWords.join(" "), endings.join(" "), synonyms.join("\n")];
    yield dataFile(`lang-${language || "und"}`, JSON.stringify([order.length, words, texts, ...lists]));
  }

  /** The pages of a word: for each, the distance to the page before in letters, and its score in one digit or capital. */
  #postings(entries: readonly number[], rankOf: Int32Array, average: number): string {
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
      text += `${letters(rank - before)}${(each % SCORES).toString(36).toUpperCase()}`;
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

/**
 * The parts of files, for each file the first key.
 *
 * @param most characters of a file, unless it has one part only
 * @param between characters between two parts
 */
function* inFiles<Key>(
  entries: Iterable<readonly [key: Key, part: string]>,
  most: number,
  between = 0,
): Generator<{ readonly first: Key; readonly parts: string[] }, void, undefined> {
  let [file, size]: [{ first: Key; parts: string[] } | undefined, number] = [undefined, 0];
  for (const [key, part] of entries) {
    if (file && size + part.length > most) {
      yield file;
      [file, size] = [undefined, 0];
    }
    file ??= { first: key, parts: [] };
    file.parts.push(part);
    size += part.length + between;
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

/** The part of a page's text that results can quote: of a long page, the beginning of each section. */
function quotable(sections: readonly Section[]): Section[] {
  const kept = sections.slice(0, MOST_SECTIONS);
  const characters = kept.reduce((sum, { text }) => sum + text.length, 0);
  const bytes = kept.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const total = Math.floor((QUOTABLE * characters) / bytes);
  const share = bytes <= QUOTABLE ? Infinity : Math.max(QUOTABLE_SECTION, Math.floor(total / kept.length));
  return kept.map((section) => {
    const text = beginning(section.text, share);
    return { ...section, text: text === section.text ? text : `${text} …` };
  });
}
