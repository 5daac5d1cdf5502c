import { HIGHEST, readLines, readPostings, type WordLine } from "../wordLines";
import { isOfLetters, SHORTEST_PARTS } from "../words";
import { type Directory, filesOf, type Load } from "./directory";

interface Wanted {
  readonly word: string;
  /** Other words of equal quality. */
  readonly joined: readonly string[];
  /** Whether it is not an identifier: then a page may have it as two words. */
  readonly isSimple: boolean;
  /** Other ways to write its umlauts. */
  readonly spellings: readonly string[];
  /** The word after it: both can be one expression, `turn off`. */
  readonly next: string;
  /** Whether the reader may still be typing the word. */
  readonly isOpen: boolean;
  /** Whether it carries no question: then no other forms of it are looked for, and it counts little. */
  readonly isStopWord: boolean;
}

/** A page that has a word. */
interface MatchedPage {
  /** That of the best word of the index that matches. */
  readonly score: number;
  readonly fit: number;
  readonly terms: readonly Term[];
}

/** A word of the index that matches, with its quality. */
export type Term = readonly [term: string, fit: number];

/** The words of the index that match, and their pages. */
export interface Matched {
  /** With their quality: 1 for the word itself. */
  readonly terms: ReadonlyMap<string, number>;
  readonly pages: ReadonlyMap<number, MatchedPage>;
  /** Its weight in the query. */
  readonly rarity: number;
  readonly isStopWord: boolean;
  /** Whether it is in so many pages that the index lists only the best of them. */
  readonly isEverywhere: boolean;
}

/** How well a word of the index fits, from 0 to 1. */
type Quality = (term: string) => number;

const MOST_CORRECTION_FILES = 5;
/** Quality of other forms of a word, and of longer words that begin with it. */
const FORM = 0.8;
/** How much less a longer word counts if the index has the word itself. */
const BESIDE_WHOLE = 0.25;
/** The least quality of words that count for the rarity, if there are such. */
const SAME = 0.7;
/** The shortest beginning that two forms of a word share, and how many shorter ones than the longest are tried. */
const LEAST_STEM = 3;
const MOST_BACK = 4;
/** Quality of a word that means nearly the same, and how many of them are looked for. */
const SYNONYM = 0.6;
const MOST_SYNONYMS = 3;
const LIKE = 0.8;
/** Quality of a page that has a word as two: `file system` for `filesystem`. */
const HALVES = 0.5;
/** Looked for if no page has the word as one; if it is the only word of a query, also if fewer pages than this have it. */
const FEW_PAGES = 4;
const MOST_HALVES = 3;
/** Weight of a word that carries no question beside others. */
const STOP_WORD = 0.2;
const FLOOR = 0.8;
const KEYWORD_FLOOR = 0.2;
/** Weight of a word of a sentence that no page of the site is about. */
const PEAK_FLOOR = 0.3;

/** How the words of a query are looked for. */
interface Manner {
  /** Maximum number of files that are loaded for one word. */
  readonly mostFiles: number;
  /** Whether some of the query's words are only there to make it a sentence. */
  readonly isSentence: boolean;
  /** Whether other spellings of a word are looked for if there is the word itself, too. */
  readonly isTranscribing: boolean;
  /** Whether only one word is looked for. */
  readonly isOnly: boolean;
}

/** Looks for the words of a query in the index. */
export function matcherOf(
  [count, list, , , , endingList, synonymList]: Directory,
  load: Load,
  { mostFiles, isSentence, isTranscribing, isOnly }: Manner,
) {
  const endings = new Set(endingList.split(" "));

  /** For each word, the file that can have the word itself. */
  const firstFilesOf = (words: readonly string[]): string[] =>
    words.flatMap((word) => filesOf(list, word, word).slice(0, 1));

  const linesOf = async (files: readonly string[]): Promise<WordLine[]> => {
    const ids = [...new Set(files)];
    const texts = (await Promise.all(ids.map((id) => load(`words-c0de${id}`)))) as string[];
    return texts.flatMap(readLines);
  };

  const collect = (lines: readonly WordLine[], quality: Quality, isStopWord: boolean): Matched => {
    const terms = new Map<string, number>();
    const pages = new Map<number, { score: number; fit: number; readonly terms: Term[] }>();
    const same = new Set<number>();
    let [most, peak] = [0, 0];
    for (const { word: term, postings, pages: listed = 0 } of lines) {
      const fit = quality(term);
      if (fit === 0) continue;
      terms.set(term, fit);
      most = Math.max(most, listed);
      for (const { page, score: digit } of readPostings(postings)) {
        const score = (fit * digit) / HIGHEST;
        if (fit >= SAME) same.add(page);
        peak = Math.max(peak, score);
        const before = pages.get(page);
        if (before === undefined) pages.set(page, { score, fit, terms: [[term, fit]] });
        else {
          before.terms.push([term, fit]);
          if (score > before.score) [before.score, before.fit] = [score, Math.max(fit, before.fit)];
        }
      }
    }
    const found = Math.max(most, same.size > 0 ? same.size : pages.size);
    const topic = isSentence ? PEAK_FLOOR + (1 - PEAK_FLOOR) * peak : 1;
    // the rarity is the weight in the query
    const rarity = (isStopWord ? STOP_WORD : 1) * (rarityOf(found) * topic);
    return { terms, pages, rarity, isStopWord, isEverywhere: most > pages.size };
  };

  const rarityOf = (pages: number): number =>
    (isSentence ? FLOOR : KEYWORD_FLOOR) + Math.log(1 + (count - pages + 0.5) / (pages + 0.5));

  /** Adds the pages that have a word as two. */
  const withHalves = async (word: string, found: Matched): Promise<Matched> => {
    const [start, end] = SHORTEST_PARTS;
    const enough = isOnly ? FEW_PAGES : 1;
    if (found.pages.size >= enough || word.length < start + end || !isOfLetters(word)) return found;
    const cuts = [...Array(word.length - start - end + 1).keys()].map((at) => at + start);
    const collected = async (parts: readonly string[]): Promise<Matched[]> => {
      const lines = await linesOf(firstFilesOf(parts));
      return parts.map((part) => collect(lines, (term) => (term === part ? 1 : 0), false));
    };
    const starts = (await collected(cuts.map((at) => word.slice(0, at))))
      .map((start, at) => ({ start, cut: cuts[at] ?? 0 }))
      .filter(({ start }) => start.pages.size > 0)
      .sort((one, other) => Math.abs(2 * one.cut - word.length) - Math.abs(2 * other.cut - word.length))
      .slice(0, MOST_HALVES);
    const ends = await collected(starts.map(({ cut }) => word.slice(cut)));
    const pages = new Map(found.pages);
    for (const [at, { start }] of starts.entries()) {
      const end = ends[at];
      if (!end || end.pages.size === 0) continue;
      // a word of nearly all pages lists only some of them
      const [listed, other] = start.isEverywhere ? [end, start] : [start, end];
      for (const [page, { score, terms }] of listed.pages) {
        const second = other.pages.get(page);
        if (pages.has(page) || (!second && !other.isEverywhere)) continue;
        pages.set(page, { score: HALVES * Math.min(score, second?.score ?? score), fit: HALVES, terms });
      }
    }
    if (pages.size === found.pages.size) return found;
    const terms = new Map(found.terms).set(word, found.terms.get(word) ?? FORM);
    const rarity = found.pages.size > 0 ? found.rarity : rarityOf(pages.size);
    return { ...found, terms, pages, rarity };
  };

  /** Words of the index that mean nearly the same. */
  const synonymsOf = ({ word, next }: Wanted): string[] => {
    const isAsked = (each: string): boolean =>
      each === `${word}+${next}` || each === word || isForm(word, each, endings);
    const found = synonymList.split("\n").flatMap((group) => {
      const [others = [], known = []] = group.split("=").map((words) => words.split(" "));
      return [...others, ...known].some(isAsked) ? known : [];
    });
    return [...new Set(found)].filter((each) => each !== word).slice(0, MOST_SYNONYMS);
  };

  /** Looks for a word: itself, its forms, longer words if it may be unfinished, else what differs by a typing error. */
  return async (wanted: Wanted): Promise<Matched> => {
    const { word, joined, isSimple, spellings, isOpen, isStopWord } = wanted;
    if (isStopWord) {
      const exact: Quality = (term) => (term === word ? 1 : joined.includes(term) ? FORM : 0);
      return collect(await linesOf(firstFilesOf([word, ...joined])), exact, isStopWord);
    }
    const synonyms = isSentence ? synonymsOf(wanted) : [];
    const stem = stemOf(word);
    const other: Quality = (term) => {
      if (joined.includes(term)) return FORM;
      return synonyms.some((each) => term === each || isForm(each, term, endings)) ? SYNONYM : 0;
    };
    const written = (one: string): Quality => {
      const start = stemOf(one);
      return (term) => {
        if (term === one) return 1;
        if (isForm(one, term, endings)) return FORM;
        if (!term.startsWith(start)) return 0;
        return isOpen && isBeginning(one, term)
          ? FORM * Math.sqrt(one.length / term.length)
          : likeness(one, term);
      };
    };
    const itself = written(word);
    const spelled = spellings.map(written);
    const quality: Quality = (term) => Math.max(itself(term), other(term));
    const asSpelled: Quality = (term) => Math.max(0, ...spelled.map((each) => FORM * each(term)));
    // beside the word itself, the beginning of a longer one is hardly what the reader means
    const besideWhole: Quality = (term) => {
      const usual = quality(term);
      const isLonger = usual > 0 && usual < FORM && term.startsWith(word);
      return isLonger ? Math.max(likeness(word, term), BESIDE_WHOLE * usual) : usual;
    };
    // of a short word, there are no other forms
    const most = word.length < 4 && !isOpen ? 1 : mostFiles;
    const files = filesOf(list, stem, word).slice(0, most);
    const spelledFiles = spellings.flatMap((each) => filesOf(list, stemOf(each), each).slice(0, most));
    const lines = await linesOf([
      ...files,
      ...firstFilesOf([...joined, ...synonyms]),
      ...(isTranscribing ? spelledFiles : []),
    ]);
    const hasWhole = lines.some((line) => line.word === word);
    const own = hasWhole ? besideWhole : quality;
    const all: Quality = (term) => Math.max(own(term), asSpelled(term));
    const halved = (one: Matched): Promise<Matched> | Matched => (isSimple ? withHalves(word, one) : one);
    const found = await halved(collect(lines, isTranscribing ? all : own, isStopWord));
    if (found.pages.size > 0 || word.length < 4 || isNumber(word)) return found;
    const asOther = collect(await linesOf(spelledFiles), asSpelled, isStopWord);
    if (asOther.pages.size > 0) return asOther;
    const slips = word.length < 8 ? 1 : 2;
    const start = word.slice(0, 2);
    const corrected: Quality = (term) =>
      term.startsWith(start) && distance(word, term, slips) <= slips ? 0.5 : 0;
    const others = filesOf(list, start, word).slice(0, MOST_CORRECTION_FILES);
    return collect(await linesOf(others), corrected, isStopWord);
  };
}

const isNumber = (word: string): boolean => /^[\p{N}.]+$/u.test(word);

/** Whether a reader who types the longer word may have typed the other one until now. The beginning of a version is one of its parts. */
function isBeginning(word: string, longer: string): boolean {
  return longer.startsWith(word) && (!word.includes(".") || longer[word.length] === ".");
}

/** What the forms of a word begin with. */
function stemOf(word: string): string {
  return word.slice(0, Math.max(4, Math.ceil(word.length * 0.6)));
}

/** Quality of a word with the same beginning. Numbers are alike only if they are equal. */
function likeness(word: string, term: string): number {
  const shared = sharedStart(word, term) / Math.max(word.length, term.length);
  return word.length > 3 && shared >= 0.6 && !isNumber(word) ? LIKE * shared : 0;
}

/** Whether two words differ only by endings of the language: `encrypt`, `encryption`; `drop`, `dropping`. */
function isForm(one: string, other: string, endings: ReadonlySet<string>): boolean {
  const isEnding = (word: string, from: number): boolean => {
    const rest = word.slice(from);
    const isDoubled = rest.length > 1 && rest[0] === word[from - 1] && /^\p{Ll}/u.test(rest);
    return endings.has(rest) || (isDoubled && endings.has(rest.slice(1)));
  };
  const shared = sharedStart(one, other);
  for (let at = shared; at >= Math.max(LEAST_STEM, shared - MOST_BACK); at--) {
    if (isEnding(one, at) && isEnding(other, at) && isStem(at, one.length - at, other.length - at)) {
      return true;
    }
  }
  return false;
}

/** Whether what two words share is long enough for their endings: `find` and `fine`, `come` and `comment` are no forms of each other. */
function isStem(stem: number, ending: number, other: number): boolean {
  const [short, long] = [Math.min(ending, other), Math.max(ending, other)];
  return short === 0 ? stem > long - 2 : stem > LEAST_STEM || long < LEAST_STEM + 1;
}

function sharedStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

/** Number of typing errors between two words: a letter more, less, another, or two exchanged. @param most stop above it */
export function distance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let [before, last]: [number[], number[]] = [[], [...Array(other.length + 1).keys()]];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    [before, last] = [last, row];
  }
  return last[other.length] ?? most + 1;
}
