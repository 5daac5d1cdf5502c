import { nameOf, termsOf, type Word, wordsOf } from "../words";
import { type Load, type QuotedPage, type QuotedSection, readPlaceOf, readSection } from "./directory";
import { excerptOf, type Piece } from "./excerpt";
import type { Matched, Term } from "./match";

/** A page as it is shown among the results. */
export interface Result {
  readonly title: string;
  /** Address of the page below the site's root, as the site links to it. */
  readonly address: string;
  /** Path of its file. */
  readonly path: string;
  /** The section that fits best; empty for the page itself. */
  readonly anchor: string;
  readonly heading: string;
  readonly excerpt: readonly Piece[];
}

/** A result, and how much of the question is in the names and the texts of its page. */
interface Quotation {
  readonly result: Result;
  readonly names: number;
  readonly texts: number;
}

/** Weights of the question in a page's title and path, and in a section's heading and text. */
const TITLE = 2.4;
const PATH = 1.9;
const HEADING = 0.6;
const TEXT = 0.6;
/** How much of a name's weight depends on what else is in it: a page «Redirects» is about them, «Redirects and aliases of hosts» less. */
const NAME_PRECISION = 0.75;
const HEADING_PRECISION = 0.6;
/** How many times a word must be in a text for half of its weight. */
const HALF_AT = 1.5;
/** How much more a text counts that has the whole query as the reader typed it. */
const PHRASE = 0.5;
/** How much more a text counts that has a sentence of the reader, by the share that it has, and the pairs of words of a sentence. */
const SENTENCE = 0.7;
const SENTENCE_PAIRS = 6;
/** Of a query of up to this many words, the pairs in a heading count, too. Those of a longer one are mostly like «of the». */
const SHORT = 5;
/**
 * How much more a text counts that the reader quotes: at least this share of the pairs of this many words, and by the words that it has.
 */
const QUOTED = 10;
const QUOTED_SHARE = 0.8;
const QUOTED_WORDS = 5;
/** How much more a text counts that has the words near each other. */
const NEAR = 0.55;
/** Most words from one word to another that is near it. */
const NEAR_WORDS = 5;
/** Weight of two neighbouring words by how many of them carry the question. */
const PAIR = [0.1, 0.5, 1] as const;
/**
 * The second best section of a page counts as much as the best one. In a page of one section or two, there is no or hardly a second one:
 * this share of the best one counts for it.
 */
const FEW_SECTIONS: readonly number[] = [0, 0.8, 0.6];

/** Of a long page, how much more a section counts that has all words of the question than one with a part of them. */
const SECTION_COVERAGE = 6;

/** How much the words count of a section that is not stored with its page: about as much as once in a text. */
const UNSEEN = 0.3;

/** How well a longer version fits its beginning: `2.4.7` for `2.4`. */
const VERSION_PART = 0.6;

/** The number of a section, in front of its heading. */
const NUMBER = /^\p{N}+(?:\.\p{N}+)*$/u;
/** How well the only word of a text fits one that was asked for, at least, for the text to be that word. */
const SAME = 0.7;

/** A place in the query that a word of a text fits. */
interface QueryPlace {
  readonly at: number;
  /** The word that is looked for, or -1. */
  readonly word: number;
  readonly fit: number;
}

const NOWHERE: readonly QueryPlace[] = [];
const NOTHING: QuotedSection = { anchor: "", heading: "", text: "" };

/** What a text has of the question; shares are from 0 to 1. */
interface FoundInText {
  /** How well each word fits. */
  readonly fits: readonly number[];
  readonly share: number;
  /** The share, if words that are there more often count more. */
  readonly density: number;
  /** Share of the text's words that were asked for, without those that mean little. */
  readonly precision: number;
  /** Share of the words that are near the next one. */
  readonly near: number;
  /** Share of the pairs of neighbouring words, less for a query of few. */
  readonly sentence: number;
  /** Whether the whole query is there as the reader typed it. Of one word: nothing else. */
  readonly isWhole: boolean;
  readonly isQuoted: boolean;
}

/** What is looked for in texts. */
export interface Question {
  readonly isShort: boolean;
  /** Of its words. */
  readonly weights: readonly number[];
  isMatch(term: string): boolean;
  /** How much of the question is in a text. @param isNumbered whether a number in front of it is not a part of what it says */
  in(text: string, isNumbered?: boolean): FoundInText;
}

/** @param words all words in their order, with the number of what was found for each that was looked for */
export function questionOf(
  matched: readonly Matched[],
  words: readonly (readonly [text: string, found: number])[],
  stopWords: ReadonlySet<string>,
): Question {
  const { length } = words;
  const places = new Map<string, QueryPlace[]>();
  for (const [at, [text, word]] of words.entries()) {
    for (const [term, fit] of matched[word]?.terms ?? new Map([[text, 1]])) {
      const others = places.get(term) ?? [];
      places.set(term, others);
      others.push({ at, word, fit });
    }
  }
  const longest = Math.max(...Array.from(places.keys(), (term) => term.length));
  const known = new Map<string, readonly Word[]>();
  const total = matched.reduce((sum, { rarity }) => sum + rarity, 0);
  const isCarrying = (at: number): boolean => matched[words[at]?.[1] ?? -1]?.isStopWord === false;
  /** The weight of a word and the next one. */
  const pair = (at: number): number => PAIR[Number(isCarrying(at)) + Number(isCarrying(at + 1))] ?? 0;
  let pairs = 0;
  for (let at = 0; at + 1 < length; at++) pairs += pair(at);

  /** The share of the question, from 0 to 1. @param fits how well each of its words fits */
  const shareOf = (fits: readonly number[]): number =>
    matched.reduce((sum, { rarity }, word) => sum + rarity * (fits[word] ?? 0), 0) / total;

  /** The places of a word of a text. Two words of a page can be one word of the query: `PG Vector`, `pgvector`. */
  const placesOf = ({ text, parts }: Word, before: string): readonly QueryPlace[] => {
    const own = places.get(text);
    const joined = text.length + before.length <= longest ? places.get(before + text) : undefined;
    if (parts.length === 0 && !joined) return own ?? NOWHERE;
    const share = text.includes(".") ? VERSION_PART : 1;
    const ofParts = parts.flatMap((part) => places.get(part) ?? []);
    return [
      ...(own ?? []),
      ...(joined ?? []),
      ...ofParts.map((place) => ({ ...place, fit: share * place.fit })),
    ];
  };

  /** How much of a word of a text was asked for: of an identifier, the share of its parts. Words count that were not looked for, too. */
  const askedOf = ({ text, parts }: Word, here: readonly QueryPlace[]): number => {
    const most = (own: readonly QueryPlace[] = NOWHERE): number =>
      own.reduce((best, { word, fit }) => (matched[word]?.isStopWord ? best : Math.max(best, fit)), 0);
    if (parts.length === 0 || places.has(text)) return most(here);
    return parts.reduce((sum, part) => sum + most(places.get(part)), 0) / parts.length;
  };

  return {
    isShort: length <= SHORT,
    weights: matched.map(({ rarity }) => rarity),

    isMatch: (term) => places.get(term)?.some(({ at }) => isCarrying(at)) ?? false,

    in(text, isNumbered = false) {
      const fits = matched.map(() => 0);
      const counts = matched.map(() => 0);
      const last = matched.map(() => -Infinity);
      const found = new Set<number>();
      const near = new Set<number>();
      let [before, textBefore]: [readonly QueryPlace[], string] = [NOWHERE, ""];
      let [meaning, asked] = [0, 0];
      for (const [position, word] of wordsOf(text, known).entries()) {
        const here = placesOf(word, textBefore);
        for (const { at, word, fit } of here) {
          if (before.some((other) => other.at === at - 1)) found.add(at - 1);
          if (word < 0) continue;
          fits[word] = Math.max(fits[word] ?? 0, fit);
          counts[word] = (counts[word] ?? 0) + fit;
          last[word] = position;
          for (const other of [word - 1, word + 1]) {
            if (position - (last[other] ?? -Infinity) <= NEAR_WORDS) near.add(Math.min(word, other));
          }
        }
        const isNumber = isNumbered && position === 0 && here.length === 0 && NUMBER.test(word.text);
        if (!isNumber && !stopWords.has(word.text)) {
          [meaning, asked] = [meaning + 1, asked + askedOf(word, here)];
        }
        [before, textBefore] = [here, word.text];
      }
      const typed = [...found].reduce((sum, at) => sum + pair(at), 0) / Math.max(1, pairs);
      return {
        fits,
        share: shareOf(fits),
        density: shareOf(counts.map((count) => count / (count + HALF_AT))),
        precision: asked / Math.max(1, meaning),
        near: near.size / Math.max(1, matched.length - 1),
        sentence: typed * Math.min(1, (length - 1) / SENTENCE_PAIRS),
        isWhole: length > 1 ? found.size === length - 1 : meaning === 1 && asked >= SAME,
        isQuoted: length >= QUOTED_WORDS && typed >= QUOTED_SHARE,
      };
    },
  };
}

/** How much a name is about the question: by the share that it has of it, and the share of the name that this is. */
function named({ share, precision, isWhole }: FoundInText, weight: number): number {
  return share * (1 - weight + weight * precision) + (isWhole ? PHRASE / TITLE : 0);
}

/**
 * The sections that fit best, a quotation from the first of them, and how much of the query is in the names of the page and in its texts.
 *
 * @param terms for each word of the question, the words of the page that match
 * @param load for a section that is not stored with the page
 */
export async function quote(
  page: QuotedPage,
  question: Question,
  terms: readonly (readonly Term[])[],
  load: Load,
): Promise<Quotation> {
  const { title, address, path, sections } = page;
  const hidden = await hiddenPlaces(page, terms, load);
  const isLong = hidden.some(({ size }) => size > 0);
  const scores = new Map<number, SectionScore>();
  let [at, most, second] = [0, 0, 0];
  for (const [number, section] of sections.entries()) {
    const heading = question.in(section.heading, section.heading !== title);
    const text = question.in(section.text);
    const score =
      HEADING * named(heading, HEADING_PRECISION) +
      TEXT * text.density +
      NEAR * text.near +
      SENTENCE * (text.sentence + (question.isShort ? heading.sentence : 0)) +
      QUOTED * Math.max(text.isQuoted ? text.share : 0, heading.isQuoted ? heading.share : 0);
    if (!isLong && score > most) at = number;
    [most, second] = score > most ? [score, most] : [most, Math.max(second, score)];
    if (isLong) {
      scores.set(number, {
        score,
        seen: heading.fits.map((fit, word) => Math.max(fit, text.fits[word] ?? 0)),
      });
    }
  }
  if (isLong) at = leadOf(scores, hidden, question);
  const best = (await readSection(page, at, load)) ?? sections[0] ?? NOTHING;
  const text = best.text === "" ? (sections.find((each) => each.text !== "")?.text ?? "") : best.text;
  const isTitle = best.heading === title;
  const isTop = at === 0 || (isTitle && best === sections.find(({ heading }) => heading !== ""));
  const result: Result = {
    title: title === "" ? path : title,
    address,
    path,
    anchor: isTop ? "" : best.anchor,
    heading: isTop || isTitle ? "" : best.heading,
    excerpt: excerptOf(text, (term) => question.isMatch(term)),
  };
  const inPath = question.in(nameOf(path));
  const names = TITLE * named(question.in(title), NAME_PRECISION) + PATH * named(inPath, NAME_PRECISION);
  const other = Math.max(second, (FEW_SECTIONS[sections.length] ?? 0) * most);
  return { result, names, texts: most + other };
}

/** What a section has that is stored with its page: its score, and how well each word fits. */
interface SectionScore {
  readonly score: number;
  readonly seen: readonly number[];
}

/** The section of a long page that a result leads to: it has the words that few others have, also in what is not stored. */
function leadOf(
  scores: ReadonlyMap<number, SectionScore>,
  hidden: readonly ReadonlyMap<number, number>[],
  question: Question,
): number {
  const numbers = new Set([...scores.keys(), ...hidden.flatMap((by) => [...by.keys()])]);
  const weights = hidden.map((by, word) => {
    const best = Math.max(...by.values(), ...[...scores.values()].map((section) => section.seen[word] ?? 0));
    const seen = [...scores.values()].filter((section) => (section.seen[word] ?? 0) >= best).length;
    const unseen = [...by.values()].filter((fit) => fit >= best).length;
    // of a word that is seen, it is unknown where else it is
    const having = seen > 0 || unseen === 0 ? numbers.size / 2 : unseen;
    return (question.weights[word] ?? 0) * Math.log((numbers.size + 1) / (having + 0.5));
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  let [at, lead] = [0, 0];
  for (const number of [...numbers].sort((one, other) => one - other)) {
    const { score, seen = [] } = scores.get(number) ?? {};
    const fits = hidden.map((by, word) => Math.max(by.get(number) ?? 0, seen[word] ?? 0));
    const coverage = fits.reduce((sum, fit, word) => sum + fit * (weights[word] ?? 0), 0) / total;
    const own = (score ?? UNSEEN * coverage) + SECTION_COVERAGE * coverage;
    if (own > lead) [at, lead] = [number, own];
  }
  return at;
}

/**
 * For each word of the question, how well it fits in the sections that have it in a text that is not stored. Looked for is only what fits
 * best, unless the page stores a text with it.
 */
async function hiddenPlaces(
  page: QuotedPage,
  terms: readonly (readonly Term[])[],
  load: Load,
): Promise<Map<number, number>[]> {
  const { title, path, sections, places } = page;
  const unseen = new Set(places.length === 0 ? [] : terms.flat().map(([term]) => term));
  const texts = [title, nameOf(path), ...sections.flatMap(({ heading, text }) => [heading, text])];
  for (const text of texts) {
    if (unseen.size === 0) break;
    for (const term of termsOf(text)) unseen.delete(term);
  }
  return Promise.all(
    terms.map(async (own) => {
      const best = Math.max(...own.map(([, fit]) => fit));
      const wanted = own.filter(([, fit]) => fit === best).map(([term]) => term);
      if (!wanted.every((term) => unseen.has(term))) return new Map<number, number>();
      const found = await Promise.all(wanted.map((term) => readPlaceOf(term, page, load)));
      return new Map(found.filter((section) => section !== undefined).map((section) => [section, best]));
    }),
  );
}
