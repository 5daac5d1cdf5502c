import { packageText } from "../../base/runtime/files/packageText";
import { folded, wordsOf } from "./words";

/** Of a site's own language, at least this share as many words as of the best other one: else it is not the language of its texts. */
const FITS = 0.5;

/** The lists of a file, by language. */
type Lists = ReadonlyMap<string, string>;
let files: Readonly<Record<"stopWords" | "endings" | "synonyms", Lists>> | undefined;

/** The lists of a file in `languages/`. */
export function listsOf(name: string): Lists {
  const sections = packageText(`provider/publishing/search/languages/${name}.txt`).matchAll(
    /^\[([\w-]+)\].*\n([^[]*)/gm,
  );
  return new Map(Array.from(sections, ([, language = "", list = ""]) => [language, list]));
}

/** Words of a language. */
interface LanguageWords {
  /** Words that carry no question. */
  readonly stopWords: readonly string[];
  /** Endings by which the forms of a word differ, with none as the first. */
  readonly endings: readonly string[];
  /** Words that mean nearly the same, a group each. */
  readonly synonyms: readonly string[];
}

/**
 * The words of a site's language, or of the one whose words are in most of its pages if it states none, or another than that of its
 * texts.
 *
 * @param pagesOf how many pages have a word
 */
export function languageWordsOf(language: string, pagesOf: (word: string) => number): LanguageWords {
  files ??= { stopWords: listsOf("stopWords"), endings: listsOf("endings"), synonyms: listsOf("synonyms") };
  const lists = Array.from(files.stopWords, ([name, list]) => {
    const words = [...new Set(wordsOf(list).map(({ text }) => text))];
    return { name, words, fit: words.reduce((sum, word) => sum + pagesOf(word), 0) };
  });
  const most = Math.max(...lists.map(({ fit }) => fit));
  const own = lists.find(({ name, fit }) => name === language && fit >= FITS * most);
  const found = most === 0 ? undefined : (own ?? lists.find(({ fit }) => fit === most));
  const name = found?.name ?? language;
  // in a language without a list, the endings of English that only inflect
  const endings = (files.endings.get(name) ?? "d ed es ing s").trim().split(" ").map(folded);
  return {
    stopWords: found?.words ?? [],
    endings: [...new Set(["", ...endings])],
    synonyms: (files.synonyms.get(name) ?? "").split("\n").flatMap((line) => foundGroup(line, pagesOf)),
  };
}

/** A group of which the site has a word: the words that it has not and those that it has, with `=` between. */
function foundGroup(line: string, pagesOf: (word: string) => number): string[] {
  const words = line.split(" ").filter(Boolean).map(folded);
  const isKnown = (word: string): boolean => !word.includes("+") && pagesOf(word) > 0;
  const known = words.filter(isKnown);
  const others = words.filter((word) => !isKnown(word));
  return known.length === 0 || words.length < 2 ? [] : [`${others.join(" ")}=${known.join(" ")}`];
}
