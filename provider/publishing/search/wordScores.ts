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

/** A word in a page as one number: 1,024 × the page's number + 256 × its best field + its frequency. */
export function entryOf(page: number, field: number, frequency: number): number {
  return page * 1_024 + field * 256 + Math.min(MOST_FREQUENT, Math.ceil(frequency));
}

/** What the scores of words depend on, of a page. */
export interface ScoredPage {
  /** Of all its words, weighted. */
  readonly length: number;
  readonly isList: boolean;
  /** Its number in the order of the index. */
  readonly rank: number;
}

/** The pages of a word by ascending rank; of a word of most pages the best ones. @param average length of all pages */
export function postingsOf(
  entries: readonly number[],
  pages: readonly ScoredPage[],
  average: number,
): { readonly postings: Posting[]; readonly isEverywhere: boolean } {
  const scores = entries.map((entry) => {
    const { length = 0, isList = false, rank = 0 } = pages[Math.floor(entry / 1_024)] ?? {};
    const half = HALF_AT * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / average);
    const frequency = entry % 256;
    const field = Math.floor((entry % 1_024) / 256) / 2;
    const score = ((1 - FIELD_SHARE) * frequency) / (frequency + half) + FIELD_SHARE * field;
    const share = field < 1 && isList ? LIST_SHARE * score : score;
    return rank * SCORES + Math.max(1, Math.round(HIGHEST * share));
  });
  const scored = new Float64Array(scores).sort();
  const isEverywhere = pages.length > MANY_PAGES && scored.length > pages.length / 2;
  const best = isEverywhere
    ? scored
        .map((each) => (SCORES - (each % SCORES)) * 2 ** 40 + each) // the highest scores first, then by rank
        .sort()
        .subarray(0, Math.max(LEAST_BEST, Math.ceil(pages.length / 20)))
        .map((each) => each % 2 ** 40)
        .sort()
    : scored;
  const postings = Array.from(best, (each) => ({ page: Math.floor(each / SCORES), score: each % SCORES }));
  return { postings, isEverywhere };
}
