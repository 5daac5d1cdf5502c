import { filesOf, type Directory, type Load } from "./directory";

/** The words of the index that match a word of the query, and their pages. */
export type Matched = Awaited<ReturnType<ReturnType<typeof matcherOf>>>;

interface Wanted {
  readonly word: string;
  /** Other words of equal quality. */
  readonly joined: readonly string[];
  /** The word after it: both can be one expression, `turn off`. */
  readonly next: string;
  /** Whether the reader may still be typing the word. */
  readonly isOpen: boolean;
  /** Whether it carries no question: then no other forms of it are looked for, and it counts little. */
  readonly isStopWord: boolean;
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
/** Weight of a word that carries no question beside others. */
const STOP_WORD = 0.2;
const FLOOR = 0.8;
const KEYWORD_FLOOR = 0.2;
/** Weight of a word of a sentence that no page of the site is about. */
const PEAK_FLOOR = 0.3;
const HIGHEST = 35;

/**
 * Looks for the words of a query in the index.
 *
 * @param mostFiles maximum number of files that are loaded for one word
 * @param isSentence whether some of the query's words are only there to make it a sentence
 */
export function matcherOf(
  [count, list, , , , endingList, synonymList]: Directory,
  load: Load,
  mostFiles: number,
  isSentence: boolean,
) {
  const endings = new Set(endingList.split(" "));

  /** For each word, the file that can have the word itself. */
  const firstFilesOf = (words: readonly string[]): string[] =>
    words.flatMap((word) => filesOf(list, word, word).slice(0, 1));

  const linesOf = async (files: readonly string[]): Promise<string[]> => {
    const ids = [...new Set(files)];
    const texts = (await Promise.all(ids.map((id) => load(`words-c0de${id}`)))) as string[];
    return texts.flatMap((text) => text.split("\n"));
  };

  const collect = (lines: readonly string[], quality: Quality, isStopWord: boolean) => {
    /** With their quality: 1 for the word itself. */
    const terms = new Map<string, number>();
    /** For each page, the score of the best of them, and its quality. */
    const pages = new Map<number, { score: number; fit: number }>();
    const same = new Set<number>();
    let [most, peak] = [0, 0];
    for (const line of lines) {
      const space = line.indexOf(" ");
      const term = line.slice(0, space);
      const fit = quality(term);
      if (fit === 0) continue;
      terms.set(term, fit);
      // a frequent word has the number of its pages, and the best of them
      const postings = line.slice(space + 1);
      most = Math.max(most, parseInt(postings, 10) || 0);
      let page = -1;
      for (const [, distance = "", digit = ""] of postings.matchAll(/([a-z]+)([0-9A-Z])/g)) {
        page += Array.from(distance).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 97, 0);
        const score = (fit * parseInt(digit, 36)) / HIGHEST;
        if (fit >= SAME) same.add(page);
        peak = Math.max(peak, score);
        if (score > (pages.get(page)?.score ?? 0))
          pages.set(page, { score, fit: Math.max(fit, pages.get(page)?.fit ?? 0) });
      }
    }
    const found = Math.max(most, same.size > 0 ? same.size : pages.size);
    const rarity = (isSentence ? FLOOR : KEYWORD_FLOOR) + Math.log(1 + (count - found + 0.5) / (found + 0.5));
    const topic = isSentence ? PEAK_FLOOR + (1 - PEAK_FLOOR) * peak : 1;
    // the rarity is the weight in the query
    return { terms, pages, rarity: (isStopWord ? STOP_WORD : 1) * (rarity * topic), isStopWord };
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
  return async (wanted: Wanted) => {
    const { word, joined, isOpen, isStopWord } = wanted;
    if (isStopWord) {
      const exact: Quality = (term) => (term === word ? 1 : joined.includes(term) ? FORM : 0);
      return collect(await linesOf(firstFilesOf([word, ...joined])), exact, isStopWord);
    }
    const synonyms = isSentence ? synonymsOf(wanted) : [];
    const stem = word.slice(0, Math.max(4, Math.ceil(word.length * 0.6)));
    const quality: Quality = (term) => {
      if (term === word) return 1;
      if (joined.includes(term) || isForm(word, term, endings)) return FORM;
      const isSynonym = synonyms.some((each) => term === each || isForm(each, term, endings));
      const other = isSynonym ? SYNONYM : 0;
      if (!term.startsWith(stem)) return other;
      if (isOpen && term.startsWith(word))
        return Math.max(other, FORM * Math.sqrt(word.length / term.length));
      return Math.max(other, likeness(word, term));
    };
    // beside the word itself, the beginning of a longer one is hardly what the reader means
    const besideWhole: Quality = (term) => {
      const usual = quality(term);
      const isLonger = usual > 0 && usual < FORM && term.startsWith(word);
      return isLonger ? Math.max(likeness(word, term), BESIDE_WHOLE * usual) : usual;
    };
    // of a short word, there are no other forms
    const most = word.length < 4 && !isOpen ? 1 : mostFiles;
    const files = filesOf(list, stem, word).slice(0, most);
    const lines = await linesOf([...files, ...firstFilesOf([...joined, ...synonyms])]);
    const hasWhole = lines.some((line) => line.startsWith(`${word} `));
    const found = collect(lines, hasWhole ? besideWhole : quality, isStopWord);
    if (found.pages.size > 0 || word.length < 4 || isNumber(word)) return found;
    const slips = word.length < 8 ? 1 : 2;
    const start = word.slice(0, 2);
    const corrected: Quality = (term) =>
      term.startsWith(start) && distance(word, term, slips) <= slips ? 0.5 : 0;
    const others = filesOf(list, start, word).slice(0, MOST_CORRECTION_FILES);
    return collect(await linesOf(others), corrected, isStopWord);
  };
}

const isNumber = (word: string): boolean => /^\p{N}+$/u.test(word);

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
  for (let at = shared; at >= Math.max(LEAST_STEM, shared - MOST_BACK); at--)
    if (isEnding(one, at) && isEnding(other, at) && isStem(at, one.length - at, other.length - at))
      return true;
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
      if (one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    [before, last] = [last, row];
  }
  return last[other.length] ?? most + 1;
}
