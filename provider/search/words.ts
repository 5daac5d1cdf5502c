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

const RUNS = /[\p{L}\p{N}\p{M}_]+(?:\+\+|#)?/gu;
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
    if (known.size < MOST_KNOWN) known.set(run, words);
    return words;
  });
}

function wordsOfRun(run: string): Word[] {
  const whole = folded(run);
  const unspaced = whole.match(UNSPACED);
  if (unspaced) {
    return [...unspaced.flatMap(pairsOf), ...(whole.replace(UNSPACED, " ").match(RUNS) ?? [])].map(simple);
  }
  if (whole.length > LONGEST_WORD || whole === "_") return [];
  const parts = run.split(/_+/).flatMap((part) => part.split(CAMEL));
  const folds = parts.map(folded).filter((part) => part.length > 1);
  return [{ text: whole, parts: parts.length > 1 ? folds : [] }];
}

const simple = (text: string): Word => ({ text, parts: [] });

function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index] ?? ""}${character}`);
}

/** Lower case, in one form of several equivalent ones, and without the accents of European scripts. */
export function folded(text: string): string {
  const lower = text
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
