import { beginning, folded, RUNS, wordsOf } from "../words";

/** A part of a text, and whether it is a word of the query. */
export type Piece = readonly [text: string, isMatch: boolean];

const EXCERPT = 180;
/** How much of the text before the first match is shown. */
const BEFORE = 50;

/** A part of a text around the words of the query: where most different ones are together, or else the first ones. */
export function excerptOf(text: string, isMatch: (term: string) => boolean): Piece[] {
  const matches: { readonly from: number; readonly to: number; readonly run: string }[] = [];
  for (const run of text.matchAll(RUNS)) {
    const terms = wordsOf(run[0]);
    if (terms.some(({ text: term, parts }) => isMatch(term) || parts.some(isMatch))) {
      const [from, to] = within(run[0], new Set(terms.map((term) => term.text).filter(isMatch)));
      matches.push({ from: run.index + from, to: run.index + to, run: folded(run[0]) });
    }
  }
  let [first, most] = [0, 0];
  for (const [at, { from }] of matches.entries()) {
    const different = new Set<string>();
    for (let next = at; next < matches.length; next++) {
      const { to = 0, run = "" } = matches[next] ?? {};
      if (to > from + EXCERPT - BEFORE) break;
      different.add(run);
    }
    if (at === 0 || different.size > most) [first, most] = [from, different.size];
  }
  const wanted = Math.max(0, Math.min(first - BEFORE, text.length - EXCERPT));
  const start = wanted === 0 ? 0 : Math.min(first, text.indexOf(" ", wanted) + 1 || wanted);
  const end = start + beginning(text.slice(start), EXCERPT).length;
  const pieces: Piece[] = start > 0 ? [["… ", false]] : [];
  let at = start;
  for (const { from, to } of matches) {
    if (from < at) continue;
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
