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
export const LONGEST_WORD = 40;
/** Bound for remembered words, so that hostile text cannot fill the memory. */
const MOST_KNOWN = 200_000;
/** Longest run of letters whose words are remembered, in UTF-16 units. */
const LONGEST_KNOWN = 100;
/**
 * Accents of one letter after these are left out, as in «stream-safe» text (Unicode UAX #15): Unicode sorts the accents of a letter in
 * a time that grows with the square of their number. Two halfwidth letters become accents by compatibility.
 */
const MOST_ACCENTS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/** Characters within words that nobody sees: places for hyphens and line breaks, and those that set a direction. */
const INVISIBLE =
  /[\u00ad\u034f\u061c\u180e\u200b\u200d-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe0f\ufeff]/g;

/** A text without the characters that nobody sees. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, "");
}

/** Runs of letters and digits, numbers with dots and versions: `3.10.7`, `v2.4`. */
export const RUNS: RegExp = /[vV]?\p{N}+(?:\.\p{N}+)+(?![\p{L}\p{N}\p{M}_])|[\p{L}\p{N}\p{M}_]+(?:\+\+|#)?/gu;
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
export function wordsOf(text: string, known: Map<string, readonly Word[]> = new Map()): Word[] {
  const all: Word[] = [];
  for (const run of text.match(RUNS) ?? []) {
    let words = known.get(run);
    if (words === undefined) {
      words = wordsOfRun(run);
      if (known.size < MOST_KNOWN && run.length <= LONGEST_KNOWN) known.set(run, words);
    }
    for (const word of words) all.push(word);
  }
  return all;
}

function wordsOfRun(run: string): Word[] {
  const whole = folded(run);
  const unspaced = whole.match(UNSPACED);
  if (unspaced) {
    const others = (whole.replace(UNSPACED, " ").match(RUNS) ?? []).filter(isWord);
    return [...unspaced.flatMap(pairsOf), ...others.map(simple)];
  }
  if (!isWord(whole) || whole === "_") return [];
  if (whole.includes(".")) return [versionOf(whole)];
  if (/^v\p{N}+$/u.test(whole)) return [{ text: whole, parts: [whole.slice(1)] }];
  const [, bare] = ARTICLE.exec(whole) ?? [];
  if (bare !== undefined) return [{ text: whole, parts: [bare] }];
  const parts = run.split(/_+/).flatMap((part) => part.split(CAMEL));
  const folds = parts.map(folded).filter((part) => part.length > 1);
  return [{ text: whole, parts: parts.length > 1 ? folds : [] }];
}

/** A word of Arabic with its article and what is written together with it: `the settings`, `and the settings`, `to the settings`. */
const ARTICLE = /^(?:[وفبك]?ال|لل)(\p{sc=Arabic}{3,})$/u;

/** A version is the same with and without `v`. Its parts are its beginnings, the longest first: of `2.4.0`, `2.4` and `2`. */
function versionOf(whole: string): Word {
  const text = whole.replace(/^v/, "");
  const numbers = text.split(".");
  const parts = numbers.slice(1).map((_, rest) => numbers.slice(0, numbers.length - 1 - rest).join("."));
  return { text, parts };
}

const isWord = (text: string): boolean => text.length <= LONGEST_WORD;

/** Whether a word has letters alone, of scripts with spaces between words: then it may also be written as two, or be a half of one. */
export function isOfLetters(word: string): boolean {
  return /^[\p{L}\p{M}]+$/u.test(word) && word.search(UNSPACED) < 0;
}
const simple = (text: string): Word => ({ text, parts: [] });

/** Each pair begins with its first character, so that this one alone finds it. The last character of a run is a part of its pair. */
function pairsOf(run: string): Word[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters.map(simple);
  return characters.slice(1).map((character, index) => ({
    text: `${characters[index] ?? ""}${character}`,
    parts: index === characters.length - 2 ? [character] : [],
  }));
}

/** Hyphens and the joints of Persian words, and words with them: `e-mail`, `end-to-end`, `می‌خواهم`. */
const HYPHENS = /[-\u200c\u2010\u2011]/g;
const HYPHENATED =
  /[-\u200c\u2010\u2011](?<=(?<![\p{L}\p{N}\p{M}_])([\p{L}\p{M}]{1,20}).)((?:[\p{L}\p{M}]{1,20}[-\u200c\u2010\u2011]){0,3}[\p{L}\p{M}]{1,20})(?![\p{L}\p{N}\p{M}_])/gu;
/** Apostrophes within words of Cyrillic, and the marks of Hebrew within abbreviations, with the words: `об'єкт`, `צה״ל`. */
const INNER_MARKED =
  /['’"״׳](?<=(?<![\p{L}\p{N}\p{M}_])([\p{sc=Cyrillic}\p{sc=Hebrew}]{1,20}).)([\p{sc=Cyrillic}\p{sc=Hebrew}]{1,20})(?![\p{L}\p{N}\p{M}_])/gu;
/** Longer ones are names of files and classes, in UTF-16 units. */
const LONGEST_HYPHENATED = 20;

/** A word of two parts with at least so many letters is found by its parts. */
export const SHORTEST_PARTS = [3, 2] as const;

/**
 * The words of a text that have hyphens or marks inside, without them: many readers write `email`.
 *
 * @param isText whether those are left out that are found by their parts, as `file-system` is: a text has many
 */
export function unhyphenated(text: string, isText = false): string[] {
  const [start, end] = SHORTEST_PARTS;
  const joined: string[] = [];
  for (const pattern of [HYPHENATED, INNER_MARKED]) {
    for (const [, before = "", rest = ""] of text.matchAll(pattern)) {
      if (before.length + rest.length >= LONGEST_HYPHENATED) continue;
      const others = rest.replace(HYPHENS, "");
      const isFound = others === rest && before.length >= start && rest.length >= end;
      if (!isText || !isFound) joined.push(folded(before + others));
    }
  }
  return joined;
}

/** All words of a text by which the index has it: with their parts, and without their hyphens. */
export function termsOf(text: string): string[] {
  return [...wordsOf(text).flatMap((word) => [word.text, ...word.parts]), ...unhyphenated(text)];
}

/** What the path of a page says about it. */
export function nameOf(path: string): string {
  return path.replace(/(?:index)?\.[a-z]+$/i, "");
}

/**
 * Accents of European scripts, the letter that is an apostrophe, marks of Hebrew and Arabic, the Arabic stroke that makes a word longer,
 * and the nukta of Indian scripts.
 */
const MARKS =
  /[\u02bc\u093c\u09bc\u0a3c\u0abc\u0b3c\u0cbc\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]/g;
/** Letters that are written in two ways and that Unicode does not take apart. */
const LETTERS = new Map(
  [
    "ґ:г ß:ss ı:i ł:l ø:o đ:d ð:d þ:th ħ:h ŧ:t æ:ae œ:oe ŋ:n ĸ:k ς:σ",
    // kaf, yeh and heh of Persian and Urdu; final yeh, teh marbuta, alef with wasla
    "ک:ك ی:ي ے:ي ہ:ه ھ:ه ە:ه ى:ي ة:ه ٱ:ا",
  ]
    .flatMap((list) => list.split(" "))
    .map((pair) => [pair.slice(0, 1), pair.slice(2)]),
);
const LETTER = new RegExp(`[${[...LETTERS.keys()].join("")}]|[\u0660-\u0669\u06f0-\u06f9]`, "g");

/** Lower case, in one form of several equivalent ones, without accents and marks. */
export function folded(text: string): string {
  const lower = text
    .replace(MOST_ACCENTS, "$1")
    .normalize("NFKD")
    .replace(MARKS, "")
    .normalize("NFKC")
    .toLowerCase();
  // the last digit of the code of an Arabic digit is its value
  return lower.replace(LETTER, (letter) => LETTERS.get(letter) ?? String(letter.charCodeAt(0) & 15));
}

/** The ways in which a word with umlauts may be written: `Schlüssel`, `Schluessel`. The word itself is none of them. @param run as typed */
export function transcribed(run: string): string[] {
  const lower = run.normalize("NFC").toLowerCase();
  const [word, long] = [folded(lower), folded(lower.replace(/[äöüåø]/g, (letter) => UMLAUTS[letter] ?? ""))];
  const short = word.replace(/([aou])e|a(?=a)/g, "$1");
  return [...new Set([long, short])].filter((each) => each !== word);
}

const UMLAUTS: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", å: "aa", ø: "oe" };

/** The beginning of a text, up to the end of a word where the script has spaces. @param most characters */
export function beginning(text: string, most: number): string {
  if (text.length <= most) return text;
  const space = text.lastIndexOf(" ", most);
  // no half of a character that consists of two code units
  return space > (most * 2) / 3 ? text.slice(0, space) : text.slice(0, most).replace(/[\ud800-\udbff]$/, "");
}
