import { compareTexts } from "../../base/runtime/values/textOrder";
import { type DataFile, dataFile, inFiles } from "./dataFile";
import { languageWordsOf } from "./languageWords";
import { isListPage } from "./listPages";
import { FURTHER_SECTIONS, MOST_SECTIONS, RANKED_SECTIONS } from "./longPages";
import { inOrder } from "./order";
import { KnownWords } from "./ownMemory";
import { pageWordsOf } from "./pageWords";
import type { PlacesAt } from "./placeTable";
import { Postings } from "./postings";
import { furtherSections, type Section, storedSections } from "./sections";
import { writeLines, writePostings } from "./wordLines";
import { entryOf, MANY_PAGES, WordScores } from "./wordScores";

/** A page as the index keeps it until all pages are known. */
interface IndexedPage {
  /** Path below the site's root. */
  readonly path: string;
  readonly title: string;
  /** What results can quote, as JSON in UTF-8. */
  readonly sections: Buffer;
  /** The same of further sections, in parts. */
  readonly further: readonly Buffer[];
  /** Where words are that results cannot quote. */
  readonly places: readonly string[];
  /** Of all its words, weighted. */
  readonly length: number;
}

/** Words of more than this share of all pages are looked for only if a query has no others. */
const COMMON = 0.7;

/** Target size of the files of words and of texts, in characters before compression. */
const WORDS_SIZE = 8_000;
const TEXTS_SIZE = 10_000;
/** The same for the place tables of long pages: each is read with its whole file. */
const PLACES_SIZE = 1_000;

/** Index of the pages of one language. */
export class TextIndex {
  readonly #pages: IndexedPage[] = [];
  /** For each word, what `wordScores.ts` needs to know of each of its pages. */
  readonly #words = new Postings();
  readonly #known = new KnownWords();

  /**
   * @param path below the site's root
   * @param title as results show it
   */
  add(path: string, title: string, sections: readonly Section[]): void {
    const words = pageWordsOf(path, title, sections, this.#known);
    for (const [word, frequency] of words.frequencies) {
      this.#words.add(word, entryOf(this.#pages.length, words.fields.get(word) ?? 0, frequency));
    }
    const { length, places } = words;
    const further = furtherOf(sections);
    this.#pages.push({ path, title, sections: storedSections(words.sections), further, places, length });
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
    const [words, texts]: [unknown[], unknown[]] = [[], []];
    const listed = (list: unknown[], key: unknown, file: DataFile): DataFile => {
      list.push(key, file.id);
      return file;
    };

    const common: string[] = [];
    for (const lines of inFiles(this.#lines(order, common), WORDS_SIZE, 1)) {
      yield listed(words, lines[0].word, dataFile("words", JSON.stringify(writeLines(lines))));
    }

    const sorted = order.map(({ page }) => page);
    const further = yield* furtherFiles(sorted);
    const places = yield* placeFiles(sorted);
    const pages = order.values().map(({ page }, rank) => {
      const address = addressOf(page.path);
      const facts = [page.title, address === page.path ? 0 : address, page.path].map((each) =>
        JSON.stringify(each),
      );
      const text = `[${facts.join(",")},${page.sections.toString()}`;
      const long = [places.get(page) ?? 0, further.get(page) ?? 0];
      while (long.at(-1) === 0) long.pop();
      const rest = long.map((each) => `,${JSON.stringify(each)}`).join("");
      // ids count for no size: the same pages are together
      return { rank, text: `${text}${rest}]`, size: text.length };
    });
    for (const parts of inFiles(pages, TEXTS_SIZE)) {
      yield listed(texts, parts[0].rank, dataFile("text", `[${parts.map(({ text }) => text).join(",")}]`));
    }
    const [primary = ""] = language.split("-");
    const { stopWords, endings, synonyms } = languageWordsOf(primary, (word) => this.#words.countOf(word));
    const lists = [common.join(" "), stopWords.join(" "), endings.join(" "), synonyms.join("\n")];
    yield dataFile(`lang-${language || "und"}`, JSON.stringify([order.length, words, texts, ...lists]));
  }

  /** All words in their order. @param common receives those of nearly all pages */
  *#lines(order: readonly { readonly number: number }[], common: string[]) {
    const rankOf = new Int32Array(order.length);
    order.forEach(({ number }, rank) => (rankOf[number] = rank));
    const pages = this.#pages.map(({ length, path }) => ({ length, isList: isListPage(path) }));
    const scores = new WordScores(pages, rankOf);
    for (const word of inOrder(this.#words.words())) {
      const entries = this.#words.of(word);
      if (pages.length > MANY_PAGES && entries.length / pages.length > COMMON) common.push(word);
      const { postings: best, isEverywhere } = scores.postingsOf(entries);
      const postings = writePostings(best);
      const size = word.length + 1 + postings.length;
      yield isEverywhere ? { word, postings, pages: entries.length, size } : { word, postings, size };
    }
  }
}

/** The sections that are not read to rank the page, in parts. */
function furtherOf(sections: readonly Section[]): Buffer[] {
  const parts: Buffer[] = [];
  const end = Math.min(sections.length, MOST_SECTIONS);
  for (let from = RANKED_SECTIONS; from < end; from += FURTHER_SECTIONS) {
    parts.push(furtherSections(sections.slice(from, Math.min(from + FURTHER_SECTIONS, end))));
  }
  return parts;
}

/** Writes the sections that are not read to rank their pages. @returns for each long page, the ids of its files */
function* furtherFiles(pages: readonly IndexedPage[]): Generator<DataFile, Map<IndexedPage, string[]>> {
  const idsOf = new Map<IndexedPage, string[]>();
  const written = new Set<string>(); // pages may have the same sections
  for (const page of pages) {
    for (const part of page.further) {
      const file = dataFile("text", part.toString());
      if (!written.has(file.id)) yield file;
      written.add(file.id);
      idsOf.set(page, [...(idsOf.get(page) ?? []), file.id]);
    }
  }
  return idsOf;
}

/** Writes place tables. @returns for each page that has some, the file of each and its number in it */
function* placeFiles(pages: readonly IndexedPage[]): Generator<DataFile, Map<IndexedPage, PlacesAt>> {
  const placesOf = new Map<IndexedPage, PlacesAt>();
  const written = new Set<string>();
  const tables = pages.flatMap((page) => page.places.map((table) => ({ page, table, size: table.length })));
  for (const some of inFiles(tables, PLACES_SIZE)) {
    const file = dataFile("text", JSON.stringify(some.map(({ table }) => table)));
    if (!written.has(file.id)) yield file;
    written.add(file.id);
    for (const [at, { page }] of some.entries()) {
      placesOf.set(page, [...(placesOf.get(page) ?? []), file.id, at]);
    }
  }
  return placesOf;
}
