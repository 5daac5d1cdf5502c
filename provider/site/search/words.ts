// Splits text into words. The index and the search box use the same rules, so this file runs in browsers, too. It uses no
// locale, no `Intl` and no dictionary: the result is the same on every machine.

/** A word of a text, and the words that it is composed of. */
export interface Word {
  /** Lower case, without accents: `max_connections`. */
  readonly text: string;
  /** The parts of an identifier: `max`, `connections`. Empty for a simple word. */
  readonly parts: readonly string[];
}

/** Longer words are digests and encoded data, in characters. */
const LONGEST_WORD = 40;
/** Bound for remembered words, so that hostile text cannot fill the memory. */
const MOST_KNOWN = 200_000;
/** Longest run of letters whose words are remembered, in UTF-16 units. */
const LONGEST_KNOWN = 100;
/**
 * Accents of one letter after these are left out, as in «stream-safe» text (Unicode UAX #15): Unicode sorts the accents of a letter in
 * a time that grows with the square of their number. Two halfwidth letters become accents by compatibility.
 */
const MOST_ACCENTS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/** Runs of letters and digits, and numbers with dots: versions, addresses. */
export const RUNS = /\p{N}+(?:\.\p{N}+)+(?![\p{L}\p{N}\p{M}_])|[\p{L}\p{N}\p{M}_]+(?:\+\+|#)?/gu;
/** Scripts that write no spaces between words. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u30fc\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/gu;
/** Boundaries inside an identifier: `read|File`, `HTTP|Server`. */
const CAMEL = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/**
 * The words of a text, in their order. Text without spaces gives each pair of neighbouring characters.
 *
 * @param known words of runs of letters that were split before: most runs of a site occur many times
 */
export function wordsOf(text: string, known = new Map<string, readonly Word[]>()): Word[] {
  return (text.match(RUNS) ?? []).flatMap((run) => {
    const words = known.get(run) ?? wordsOfRun(run);
    if (known.size < MOST_KNOWN && run.length <= LONGEST_KNOWN) known.set(run, words);
    return words;
  });
}

function wordsOfRun(run: string): Word[] {
  const whole = folded(run);
  const unspaced = whole.match(UNSPACED);
  if (unspaced) {
    const others = (whole.replace(UNSPACED, " ").match(RUNS) ?? []).filter(isWord);
    return [...unspaced.flatMap(pairsOf), ...others].map(simple);
  }
  if (!isWord(whole) || whole === "_") return [];
  if (whole.includes(".")) return [{ text: whole, parts: whole.split(".") }];
  const parts = run.split(/_+/).flatMap((part) => part.split(CAMEL));
  const folds = parts.map(folded).filter((part) => part.length > 1);
  return [{ text: whole, parts: parts.length > 1 ? folds : [] }];
}

const isWord = (text: string): boolean => text.length <= LONGEST_WORD;
const simple = (text: string): Word => ({ text, parts: [] });

function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index] ?? ""}${character}`);
}

/** Lower case, in one form of several equivalent ones, and without the accents of European scripts. */
export function folded(text: string): string {
  const lower = text
    .replace(MOST_ACCENTS, "$1")
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFKC")
    .toLowerCase();
  return lower.replaceAll("ß", "ss").replaceAll("ı", "i");
}

/** The beginning of a text, up to the end of a word where the script has spaces. @param most characters */
export function beginning(text: string, most: number): string {
  if (text.length <= most) return text;
  const space = text.lastIndexOf(" ", most);
  // no half of a character that consists of two code units
  return space > (most * 2) / 3 ? text.slice(0, space) : text.slice(0, most).replace(/[\ud800-\udbff]$/, "");
}
