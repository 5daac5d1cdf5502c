import { beginning, folded, wordsOf, type Word } from "../words";

/** Loads a data file of the index by its key. */
export type Load = (key: string) => Promise<unknown>;

/** A part of a text, and whether it is a word of the query. */
export type Piece = readonly [text: string, isMatch: boolean];

export interface Result {
  readonly title: string;
  /** Address of the page below the site's root, as the site links to it, and the path of its file. */
  readonly address: string;
  readonly path: string;
  /** The section that fits best; empty for the page itself. */
  readonly anchor: string;
  readonly heading: string;
  readonly excerpt: readonly Piece[];
}

type Directory = readonly [
  pages: number,
  words: readonly (string | number)[],
  texts: readonly (string | number)[],
  common: string,
];
type StoredSection = readonly [anchor: string, heading: string, text: string];
type StoredPage = readonly [title: string, address: string, path: string, sections: readonly StoredSection[]];

/** The words of the index that match a word of the query, their quality, and the score for each page. */
interface Matched {
  readonly terms: ReadonlyMap<string, number>;
  readonly scores: ReadonlyMap<number, number>;
  readonly rarity: number;
}

/** Only the beginning of a longer query is searched, in UTF-16 units: pasted text must not block the page. */
export const LONGEST_QUERY = 200;
const MOST_RESULTS = 10;
/** Maximum number of word files loaded for one word, and to correct a word that is not in the index. */
const MOST_FILES = 3;
const MOST_CORRECTION_FILES = 5;
/** Factor for a part of a page that contains the words of the query as the reader typed them. */
const PHRASE = 1.5;
/** How much the quoted parts of a page count beside its score in the index. */
const CLOSENESS = 2;
const EXCERPT = 180;
const HIGHEST = 35;

/** Searches the pages of one language. @param key of the language's directory */
export async function search(text: string, key: string, load: Load): Promise<Result[]> {
  const query = text.slice(0, LONGEST_QUERY);
  const directory = (await load(key)) as Directory;
  const common = new Set(directory[3].split(" "));
  const all = wordsOf(query);
  const rare = all.filter(({ text }) => !common.has(text));
  const words = rare.length === 0 ? all : rare;
  const matched = (
    await Promise.all(
      words.map(async (word): Promise<Matched[]> => {
        const at = all.indexOf(word);
        const mostFiles = words.length > 3 ? 1 : MOST_FILES;
        const find = (text: string, joined: readonly string[], isOpen: boolean): Promise<Matched> =>
          match({ word: text, joined, isOpen, mostFiles }, directory, load);
        const whole = await find(
          word.text,
          joinedWith(word, all[at - 1], all[at + 1]),
          at === all.length - 1,
        );
        if (whole.scores.size > 0 || word.parts.length === 0) return [whole];
        return Promise.all(word.parts.map((part) => find(part, [], false)));
      }),
    )
  ).flat();
  const total = matched.reduce((sum, { rarity }) => sum + rarity, 0);
  const pages = new Map<number, { score: number; found: number }>();
  for (const { scores, rarity } of matched) {
    for (const [page, score] of scores) {
      const { score: before, found } = pages.get(page) ?? { score: 0, found: 0 };
      pages.set(page, { score: before + rarity * score, found: found + rarity });
    }
  }
  const ranked = [...pages]
    .map(([page, { score, found }]) => ({ page, score: score * (found / total) ** 2 }))
    .sort((one, other) => other.score - one.score || one.page - other.page)
    .slice(0, MOST_RESULTS);
  const phrase = all.length > 1 ? folded(query.trim()) : undefined;
  const results = await Promise.all(
    ranked.map(async ({ page, score }) => {
      const { result, closeness } = quote(await readPage(page, directory, load), matched, phrase);
      return { result, score: score * (1 + CLOSENESS * closeness) };
    }),
  );
  return results.sort((one, other) => other.score - one.score).map(({ result }) => result);
}

/** A word joined with its neighbours, because many are also written as one: `back up`. Not in scripts without spaces. */
function joinedWith({ text }: Word, before: Word | undefined, after: Word | undefined): string[] {
  const joined = [before ? before.text + text : "", after ? text + after.text : ""];
  return joined.filter((each) => /^\p{Ll}+$/u.test(each));
}

interface Wanted {
  readonly word: string;
  /** Other words of equal quality. */
  readonly joined: readonly string[];
  /** Whether the reader may still be typing the word. */
  readonly isOpen: boolean;
  readonly mostFiles: number;
}

async function match(wanted: Wanted, directory: Directory, load: Load): Promise<Matched> {
  const { word, isOpen } = wanted;
  const stem = word.slice(0, Math.max(4, Math.ceil(word.length * 0.6)));
  const quality = (term: string): number => {
    if (term === word) return 1;
    if (wanted.joined.includes(term) || isInflected(word, term)) return 0.9;
    if (!term.startsWith(stem)) return 0;
    if (isOpen && term.startsWith(word)) return 0.9 * Math.sqrt(word.length / term.length);
    const shared = sharedStart(word, term) / Math.max(word.length, term.length);
    return word.length > 3 && shared >= 0.6 ? 0.8 * shared ** 2 : 0;
  };
  // of a short word, there are no other forms
  const most = word.length < 4 && !isOpen ? 1 : wanted.mostFiles;
  const files = filesOf(directory[1], stem, word).slice(0, most);
  const joined = wanted.joined.flatMap((each) => filesOf(directory[1], each, each).slice(0, 1));
  const found = await collect([...new Set([...files, ...joined])], quality, directory, load);
  if (found.scores.size > 0 || word.length < 4) return found;
  const slips = word.length < 8 ? 1 : 2;
  const start = word.slice(0, 2);
  const corrected = (term: string): number =>
    term.startsWith(start) && distance(word, term, slips) <= slips ? 0.5 : 0;
  return collect(
    filesOf(directory[1], start, word).slice(0, MOST_CORRECTION_FILES),
    corrected,
    directory,
    load,
  );
}

async function collect(
  files: readonly string[],
  quality: (term: string) => number,
  [pages]: Directory,
  load: Load,
): Promise<Matched> {
  const texts = (await Promise.all(files.map((id) => load(`words-c0de${id}`)))) as string[];
  const terms = new Map<string, number>();
  const scores = new Map<number, number>();
  let count = 0;
  for (const line of texts.flatMap((text) => text.split("\n"))) {
    const space = line.indexOf(" ");
    const term = line.slice(0, space);
    const fit = quality(term);
    if (fit === 0) continue;
    terms.set(term, fit);
    // a frequent word has the number of its pages, and the best of them
    const postings = line.slice(space + 1);
    count = Math.max(count, parseInt(postings, 10) || 0);
    let page = -1;
    for (const [, distance = "", score = ""] of postings.matchAll(/([a-z]+)([0-9A-Z])/g)) {
      page += Array.from(distance).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 97, 0);
      const value = (fit * parseInt(score, 36)) / HIGHEST;
      if (value > (scores.get(page) ?? 0)) scores.set(page, value);
    }
  }
  count = Math.max(count, scores.size);
  return { terms, scores, rarity: Math.log(1 + (pages - count + 0.5) / (count + 0.5)) };
}

/** The files that can have words with this start: first the one with the word itself. */
function filesOf(list: readonly (string | number)[], start: string, word: string): string[] {
  const files: { first: string; id: string; next: string }[] = [];
  for (let at = 0; at < list.length; at += 2)
    files.push({ first: String(list[at]), id: String(list[at + 1]), next: String(list[at + 2] ?? "\uffff") });
  const own = files.findLastIndex(({ first }) => first <= word);
  return files
    .map((file, at) => ({ ...file, steps: Math.abs(at - own) }))
    .filter(({ first, next }) => first <= `${start}\uffff` && next >= start)
    .sort((one, other) => one.steps - other.steps)
    .map(({ id }) => id);
}

async function readPage(page: number, [, , texts]: Directory, load: Load): Promise<StoredPage> {
  let at = 0;
  while (Number(texts[at + 2]) <= page) at += 2;
  const pages = (await load(`text-c0de${String(texts[at + 1])}`)) as readonly StoredPage[];
  const found = pages[page - Number(texts[at])];
  if (!found) throw new Error("the index has no such page");
  return found;
}

/** The section that fits best, a quotation from it, and how much of the query is in it. */
function quote(
  [title, address, path, sections]: StoredPage,
  matched: readonly Matched[],
  phrase: string | undefined,
): { result: Result; closeness: number } {
  const isMatch = (term: string): boolean => matched.some(({ terms }) => terms.has(term));
  const total = matched.reduce((sum, { rarity }) => sum + rarity, 0);
  const inText = (text: string, weight: number): number => {
    const all = wordsOf(text);
    // two words of a page can be one word of the query: `PG Vector`, `pgvector`
    const joined = all.map((word, at) => (all[at - 1]?.text ?? "") + word.text);
    const words = new Set([...all.flatMap((word) => [word.text, ...word.parts]), ...joined]);
    const fits = matched.map(({ terms, rarity }) =>
      [...terms].reduce((best, [term, fit]) => (words.has(term) ? Math.max(best, fit * rarity) : best), 0),
    );
    const isWhole = phrase !== undefined && folded(text).includes(phrase);
    return (weight * fits.reduce((sum, fit) => sum + fit, 0) * (isWhole ? PHRASE : 1)) / total;
  };
  let [best, most]: [StoredSection, number] = [["", "", ""], 0];
  for (const section of sections) {
    const score = inText(section[1], 1) + inText(section[2], 0.7);
    if (score > most) [best, most] = [section, score];
  }
  const text = best[2] === "" ? (sections.find(([, , each]) => each !== "")?.[2] ?? "") : best[2];
  const isTop = best === sections[0] || best[1] === title;
  const result = {
    title: title === "" ? path : title,
    address,
    path,
    anchor: isTop ? "" : best[0],
    heading: isTop ? "" : best[1],
    excerpt: excerptOf(text, isMatch),
  };
  return { result, closeness: most + inText(title, 1) };
}

/** A part of a text around the first words of the query. */
export function excerptOf(text: string, isMatch: (term: string) => boolean): Piece[] {
  const matches: [from: number, to: number][] = [];
  for (const run of text.matchAll(/[\p{L}\p{N}\p{M}_]+(?:\+\+|#)?/gu)) {
    const terms = wordsOf(run[0]);
    if (terms.some(({ text: term, parts }) => isMatch(term) || parts.some(isMatch))) {
      const [from, to] = within(run[0], new Set(terms.map((term) => term.text).filter(isMatch)));
      matches.push([run.index + from, run.index + to]);
    }
  }
  const first = matches[0]?.[0] ?? 0;
  const wanted = Math.max(0, Math.min(first - 50, text.length - EXCERPT));
  const start = wanted === 0 ? 0 : Math.min(first, text.indexOf(" ", wanted) + 1 || wanted);
  const end = start + beginning(text.slice(start), EXCERPT).length;
  const pieces: Piece[] = start > 0 ? [["… ", false]] : [];
  let at = start;
  for (const [from, to] of matches) {
    if (to > end) break;
    pieces.push([text.slice(at, from), false], [text.slice(from, to), true]);
    at = to;
  }
  pieces.push([text.slice(at, end), false]);
  if (end < text.length) pieces.push([" …", false]);
  return pieces.filter(([piece]) => piece !== "");
}

/** The matching part of a run of letters: in scripts without spaces a part of it, else all. @param found its words that match */
function within(run: string, found: ReadonlySet<string>): [number, number] {
  const isPair = (at: number): boolean => found.has(folded(run.slice(at, at + 2)));
  const pairs = found.has(folded(run)) ? [] : [...Array(run.length - 1).keys()].filter(isPair);
  const [first] = pairs;
  return first === undefined ? [0, run.length] : [first, (pairs.at(-1) ?? first) + 2];
}

/** Whether one word is the other with a usual English ending. */
function isInflected(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length > 2 && long.startsWith(short) && /^(?:s|es|d|ed|ing)$/.test(long.slice(short.length));
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
