import { isListPage, LIST_SHARE } from "../listPages";
import { isOfLetters, RUNS, transcribed, unhyphenated, visible, type Word, wordsOf } from "../words";
import { type Directory, type Load, loadPage } from "./directory";
import { type Matched, matcherOf } from "./match";
import { questionOf, quote, type Result } from "./quote";

export type { Load } from "./directory";
export type { Result } from "./quote";

/** Only the beginning of a longer query is searched, in UTF-16 units: pasted text must not block the page. */
export const LONGEST_QUERY = 200;
export const MOST_RESULTS = 10;
/** In a query of up to this many words, those that carry no question are looked for, too: «when to use», «many to many». */
const SHORT = 5;
/** How many pages are read to rank them. */
const MOST_READ = 10;
/** Maximum number of word files loaded for one word. */
const MOST_FILES = 3;
/** Weight of a page's score in the index, relative to the highest one, beside what its text and names have of the query. */
const INDEX = 3;
/** How much more a page counts that has all words of the query than one with a part of them. */
const COVERAGE = 0.3;
/** The same for a query of keywords only. */
const KEYWORDS_COVERAGE = 1;
/** Languages whose letters with an umlaut or a ring are also written as two letters. */
const TRANSCRIBING = ["da", "de", "fi", "nb", "nn", "no", "sv"];
/** Japanese endings and particles are written in Hiragana, words that mean something mostly are not. */
const PARTICLE = /^\p{sc=Hiragana}{1,2}$/u;

/** Searches the pages of one language. @param key of the language's directory */
export async function search(text: string, key: string, load: Load): Promise<Result[]> {
  const query = visible(text).slice(0, LONGEST_QUERY);
  const directory = (await load(key)) as Directory;
  const all = (query.match(RUNS) ?? []).flatMap((run) => wordsOf(run).map((word) => ({ ...word, run })));
  const words = askedFor(all, directory);
  const compounds = unhyphenated(query);
  const isSentence = all.some(
    ({ text }) => !words.some(({ word, isStopWord }) => word.text === text && !isStopWord),
  );
  const isTranscribing = TRANSCRIBING.includes(/^lang-([a-z]+)/.exec(key)?.[1] ?? "");
  const mostFiles = words.length > 3 ? 1 : MOST_FILES;
  const match = matcherOf(directory, load, {
    mostFiles,
    isSentence,
    isTranscribing,
    isOnly: words.length === 1,
  });
  const found = await Promise.all(
    words.map(async ({ word, isStopWord, isAlone }): Promise<Matched[]> => {
      const at = all.indexOf(word);
      const others = { next: all[at + 1]?.text ?? "", isStopWord };
      const find = (part: string): Promise<Matched> =>
        match({ word: part, joined: [], isSimple: false, spellings: [], isOpen: false, ...others });
      const whole = await match({
        word: word.text,
        joined: [
          ...joinedWith(word, all[at - 1], all[at + 1]),
          ...compounds.filter((each) => each.includes(word.text)), // of more than two: `end-to-end`
          ...withoutArticle(word),
        ],
        isSimple: word.parts.length === 0,
        spellings: transcribed(word.run),
        isOpen: at === all.length - 1 && !isAlone,
        ...others,
      });
      if (whole.pages.size > 0 || word.parts.length === 0) return [whole];
      if (!word.text.includes(".")) return Promise.all(word.parts.map(find));
      // the longest beginning of a version that a page has, but not its first number alone
      for (const part of word.parts.slice(0, -1)) {
        const found = await find(part);
        if (found.pages.size > 0) return [found];
      }
      return [whole];
    }),
  );
  const matched = found.flat();
  const question = questionOf(
    matched,
    all.map(({ text }) => {
      const own = found[words.findIndex(({ word }) => word.text === text)]?.[0];
      return [text, own ? matched.indexOf(own) : -1];
    }),
    new Set(directory[4].split(" ")),
  );
  const ranked = bestOf(matched, isSentence ? COVERAGE : KEYWORDS_COVERAGE);
  const results = await Promise.all(
    ranked.map(async ({ page, score }) => {
      // a word that carries no question decides nothing: where it is, is not loaded
      const terms = matched.map(({ pages, isStopWord }) =>
        isStopWord ? [] : (pages.get(page)?.terms ?? []),
      );
      const stored = await loadPage(page, directory, load);
      const { result, names, texts } = await quote(stored, question, terms, load);
      // a page that lists what changed has texts like those of the pages that explain it
      const closeness = names + (names === 0 && isListPage(stored.path) ? LIST_SHARE : 1) * texts;
      return { result, score: (INDEX * score) / (ranked[0]?.score || 1) + closeness };
    }),
  );
  return results
    .sort((one, other) => other.score - one.score)
    .slice(0, MOST_RESULTS)
    .map(({ result }) => result);
}

/**
 * The words that carry the question, each once, and of a short one the others, too. Of a query that has only others, all: each is then
 * alone.
 */
function askedFor<Typed extends Word>(all: readonly Typed[], [, , , common, stopWords]: Directory) {
  const different = all.filter(({ text }, at) => all.findIndex((other) => other.text === text) === at);
  const [stopped, frequent] = [stopWords, common].map((list) => new Set(list.split(" ")));
  const isCarrying = ({ text }: Typed): boolean => !stopped?.has(text) && !PARTICLE.test(text);
  const carrying = different.filter(isCarrying);
  const asked = carrying.length === 0 ? different : carrying;
  const rare = asked.filter(({ text }) => !frequent?.has(text));
  const words = rare.length === 0 ? asked : rare;
  const isShort = carrying.length > 0 && different.length <= SHORT;
  const others = isShort ? different.filter((word) => !isCarrying(word) && !frequent?.has(word.text)) : [];
  return [
    ...words.map((word) => ({ word, isStopWord: false, isAlone: carrying.length === 0 })),
    ...others.map((word) => ({ word, isStopWord: true, isAlone: false })),
  ];
}

/** The pages that fit best by the index: a page with all the words before those that have one of them often. */
function bestOf(matched: readonly Matched[], coverage: number): { page: number; score: number }[] {
  const total = matched.reduce((sum, { rarity }) => sum + rarity, 0);
  const pages = new Map<number, { score: number; found: number }>();
  for (const { pages: own, rarity } of matched) {
    for (const [page, { score, fit }] of own) {
      const before = pages.get(page) ?? { score: 0, found: 0 };
      pages.set(page, { score: before.score + rarity * score, found: before.found + rarity * fit });
    }
  }
  return [...pages]
    .map(([page, { score, found }]) => ({ page, score: score * (found / total) ** coverage }))
    .sort((one, other) => other.score - one.score || one.page - other.page)
    .slice(0, MOST_READ);
}

/** A word of Arabic without its article, which pages may have. */
function withoutArticle({ text, parts }: Word): readonly string[] {
  return /^\p{sc=Arabic}/u.test(text) ? parts : [];
}

/** A word joined with its neighbours, because many are also written as one: `back up`, `می خواهم`. Not in scripts without spaces. */
function joinedWith({ text }: Word, before: Word | undefined, after: Word | undefined): string[] {
  const joined = [before ? before.text + text : "", after ? text + after.text : ""];
  return joined.filter(isOfLetters);
}
