import { LIST_SHARE } from "./listPages";
import { HIGHEST, type Posting } from "./wordLines";

/** A word that is more frequent in a page counts as this often. */
const MOST_FREQUENT = 200;
/** How many times a word must be in a page of average length for half of the highest score. */
const HALF_AT = 4;
/** Share of a page's length in the score: 0 for none, as in BM25. */
const LENGTH_SHARE = 0.6;
/** Share of the highest score for a word in the title, for pages of any length; half of it for a word in a heading. */
const FIELD_SHARE = 0.15;
/** More than there are scores: a page's rank times this and its score are one number. */
const SCORES = 64;
/** In larger sites, a word of more than half of the pages lists only the pages with the highest scores, at least this many. */
export const MANY_PAGES = 100;
const LEAST_BEST = 200;

/** A word in a page as one number: 1,024 × the page's number + 256 × its best field (2 for a title, 1 for a heading) + its frequency. */
export function entryOf(page: number, field: number, frequency: number): number {
  return page * 1_024 + field * 256 + Math.min(MOST_FREQUENT, Math.ceil(frequency));
}

/** A page of the index. */
interface ScoredPage {
  /** Of all its words, weighted. */
  readonly length: number;
  /** Whether it lists what changed or where something is. */
  readonly isList: boolean;
}

/** Scores words in the pages of an index. */
export class WordScores {
  readonly #count: number;
  /** For each page, the frequency of a word for half of the highest score. */
  readonly #halves: Float64Array;
  readonly #isList: Uint8Array;
  readonly #rankOf: Int32Array;

  /** @param rankOf for each page, its number in the order of the index */
  constructor(pages: readonly ScoredPage[], rankOf: Int32Array) {
    const average = pages.reduce((sum, { length }) => sum + length, 0) / pages.length;
    this.#count = pages.length;
    this.#halves = Float64Array.from(
      pages,
      ({ length }) => HALF_AT * (1 - LENGTH_SHARE + LENGTH_SHARE * (length / average)),
    );
    this.#isList = Uint8Array.from(pages, ({ isList }) => Number(isList));
    this.#rankOf = rankOf;
  }

  /** The pages of a word by ascending rank; of a word of most pages the best ones. */
  postingsOf(entries: Uint32Array): { readonly postings: Posting[]; readonly isEverywhere: boolean } {
    const scored = new Float64Array(entries.length);
    let isSorted = true;
    for (const [at, entry] of entries.entries()) {
      const page = entry >>> 10;
      scored[at] = (this.#rankOf[page] ?? 0) * SCORES + this.#score(page, (entry >>> 8) & 3, entry & 255);
      isSorted &&= at === 0 || (scored[at - 1] ?? 0) < (scored[at] ?? 0);
    }
    if (!isSorted) scored.sort();
    const isEverywhere = this.#count > MANY_PAGES && scored.length > this.#count / 2;
    const best = isEverywhere ? bestOf(scored, Math.max(LEAST_BEST, Math.ceil(this.#count / 20))) : scored;
    const postings = Array.from(best, (each) => ({ page: Math.floor(each / SCORES), score: each % SCORES }));
    return { postings, isEverywhere };
  }

  #score(page: number, field: number, frequency: number): number {
    const half = this.#halves[page] ?? 0;
    const score = ((1 - FIELD_SHARE) * frequency) / (frequency + half) + (FIELD_SHARE * field) / 2;
    const share = field < 2 && this.#isList[page] === 1 ? LIST_SHARE * score : score;
    return Math.max(1, Math.round(HIGHEST * share));
  }
}

/** The pages with the highest scores, of equal ones the first. @param scored by ascending rank */
function bestOf(scored: Float64Array, most: number): Float64Array {
  const counts = new Uint32Array(SCORES);
  for (const each of scored) counts[each % SCORES] = (counts[each % SCORES] ?? 0) + 1;
  let [least, above] = [SCORES - 1, 0];
  while (least > 0 && above + (counts[least] ?? 0) < most) above += counts[least--] ?? 0;
  let equal = most - above;
  return scored.filter((each) => each % SCORES > least || (each % SCORES === least && equal-- > 0));
}
