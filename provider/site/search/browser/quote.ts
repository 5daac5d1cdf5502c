import { wordsOf, type Word } from "../words";
import type { StoredPage, StoredSection } from "./directory";
import { excerptOf, type Piece } from "./excerpt";
import type { Matched } from "./match";

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

/** Weights of the words in a section's heading and text, and in a page's title. */
const HEADING = 1;
const TEXT = 0.7;
const TITLE = 1.5;
/** How much more a text counts that has the whole query as the reader typed it. */
const PHRASE = 0.5;
/** How much more a text counts that has a sentence of the reader, by the share that it has, and the pairs of words of a sentence. */
const SENTENCE = 1;
const SENTENCE_PAIRS = 6;
/** How much more a text counts that the reader quotes: at least this share of the pairs of this many words. */
const QUOTED = 10;
const QUOTED_SHARE = 0.8;
const QUOTED_WORDS = 5;
/** How much more a text counts that has the words near each other. */
const NEAR = 0.2;
/** Most words from one word to another that is near it. */
const NEAR_WORDS = 5;
/** Weight of two neighbouring words by how many of them carry the question. */
const PAIR = [0.1, 0.5, 1] as const;
/** How much the share of the question that a section has counts. */
const WHOLE = 0.5;

/** A place in the query that a word of a text fits. */
interface Place {
  readonly at: number;
  /** The word that is looked for, or -1. */
  readonly word: number;
  readonly fit: number;
}

const NOWHERE: readonly Place[] = [];

/** What is looked for in texts. */
export class Question {
  readonly #matched: readonly Matched[];
  /** Number of words of the query, and those of them that carry it. */
  readonly #length: number;
  readonly #carrying: ReadonlySet<number>;
  readonly #places = new Map<string, Place[]>();
  /** Length of the longest word that is looked for. */
  readonly #longest: number;
  readonly #known = new Map<string, readonly Word[]>();
  readonly #total: number;
  /** The weight of all pairs of neighbouring words. */
  readonly #pairs: number;

  /** @param words all words in their order, with the number of what was found for each that was looked for */
  constructor(matched: readonly Matched[], words: readonly (readonly [text: string, found: number])[]) {
    this.#matched = matched;
    this.#length = words.length;
    const isCarrying = (at: number): boolean => matched[words[at]?.[1] ?? -1]?.isStopWord === false;
    this.#carrying = new Set([...words.keys()].filter(isCarrying));
    this.#total = matched.reduce((sum, { rarity }) => sum + rarity, 0);
    for (const [at, [text, word]] of words.entries()) {
      const terms = matched[word]?.terms ?? new Map([[text, 1]]);
      for (const [term, fit] of terms) {
        const places = this.#places.get(term) ?? [];
        this.#places.set(term, places);
        places.push({ at, word, fit });
      }
    }
    this.#longest = Math.max(...[...this.#places.keys()].map((term) => term.length));
    this.#pairs = 0;
    for (let at = 0; at + 1 < this.#length; at++) this.#pairs += this.#pair(at);
  }

  isMatch(term: string): boolean {
    return this.#places.get(term)?.some(({ at }) => this.#carrying.has(at)) ?? false;
  }

  #pair(at: number): number {
    return PAIR[Number(this.#carrying.has(at)) + Number(this.#carrying.has(at + 1))] ?? 0;
  }

  /** How much of the question is in a text, and for each of its words how well it fits there. */
  in(text: string): { closeness: number; fits: readonly number[] } {
    const fits = this.#matched.map(() => 0);
    const last = this.#matched.map(() => -Infinity);
    const pairs = new Set<number>();
    const near = new Set<number>();
    let [before, textBefore]: [readonly Place[], string] = [NOWHERE, ""];
    for (const [position, word] of wordsOf(text, this.#known).entries()) {
      const here = this.#placesOf(word, textBefore);
      for (const { at, word, fit } of here) {
        if (before.some((other) => other.at === at - 1)) pairs.add(at - 1);
        if (word < 0) continue;
        fits[word] = Math.max(fits[word] ?? 0, fit);
        last[word] = position;
        for (const other of [word - 1, word + 1])
          if (position - (last[other] ?? -Infinity) <= NEAR_WORDS) near.add(Math.min(word, other));
      }
      [before, textBefore] = [here, word.text];
    }
    const share = this.shareOf(fits);
    const typed = [...pairs].reduce((sum, at) => sum + this.#pair(at), 0) / Math.max(1, this.#pairs);
    const together = near.size / Math.max(1, this.#matched.length - 1);
    const isWhole = this.#length > 1 && pairs.size === this.#length - 1;
    const sentence = typed * Math.min(1, (this.#length - 1) / SENTENCE_PAIRS);
    const isQuoted = this.#length >= QUOTED_WORDS && typed >= QUOTED_SHARE;
    const more = (isWhole ? PHRASE : 0) + (isQuoted ? QUOTED : 0) + SENTENCE * sentence + NEAR * together;
    return { closeness: share * (1 + more), fits };
  }

  /** The places of a word of a text. Two words of a page can be one word of the query: `PG Vector`, `pgvector`. */
  #placesOf({ text, parts }: Word, before: string): readonly Place[] {
    const own = this.#places.get(text);
    const isShort = text.length + before.length <= this.#longest;
    const joined = isShort ? this.#places.get(before + text) : undefined;
    if (parts.length === 0 && !joined) return own ?? NOWHERE;
    return [...(own ?? []), ...(joined ?? []), ...parts.flatMap((part) => this.#places.get(part) ?? [])];
  }

  /** The share of the question, from 0 to 1. @param fits how well each of its words fits */
  shareOf(fits: readonly number[]): number {
    return this.#matched.reduce((sum, { rarity }, word) => sum + rarity * (fits[word] ?? 0), 0) / this.#total;
  }
}

/** The section that fits best, a quotation from it, and how much of the query is in it. */
export function quote(
  [title, address, path, sections]: StoredPage,
  question: Question,
): { result: Result; closeness: number } {
  const inTitle = question.in(title);
  let [best, most]: [StoredSection, number] = [["", "", ""], 0];
  for (const section of sections) {
    const heading = question.in(section[1]);
    const text = question.in(section[2]);
    const fits = text.fits.map((fit, word) =>
      Math.max(fit, heading.fits[word] ?? 0, inTitle.fits[word] ?? 0),
    );
    const score = (HEADING * heading.closeness + TEXT * text.closeness) * question.shareOf(fits) ** WHOLE;
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
    excerpt: excerptOf(text, (term) => question.isMatch(term)),
  };
  return { result, closeness: most + TITLE * inTitle.closeness };
}
