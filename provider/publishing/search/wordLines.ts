// The lines of a file of words, each with a word and its pages. Runs in browsers, too.

/** A page that has a word. */
export interface Posting {
  /** Its number in the order of the index. */
  readonly page: number;
  /** From 1 to {@link HIGHEST}. */
  readonly score: number;
}

/** A word with its pages, as a file of words has it. */
export interface WordLine {
  readonly word: string;
  readonly postings: string;
  /** Of a word of most pages, which lists only the best of them: how many have it. */
  readonly pages?: number;
}

/** The highest score of a word in a page. */
export const HIGHEST = 35;

/** Digits of numbers: those that are frequent look like the frequent letters of words, which compresses better. */
export const DIGITS = "eistrnaolcdpumgfhbyvkxwzqj0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
/** So many are the last digit of a distance, the others come before it. */
const LAST = 26;
const BEFORE = DIGITS.length - LAST;
/** Most characters that a word shares with the one before it, as one digit of base 36. */
const MOST_SHARED = 35;
/** Between two lines: no character of a word. */
const END = ",";

const VALUES = new Map(Array.from(DIGITS, (digit, value) => [digit, value]));

/** @param postings by ascending page */
export function writePostings(postings: Iterable<Posting>): string {
  let [text, before] = ["", -1];
  for (const { page, score } of postings) {
    let distance = page - before - 1;
    let digits = DIGITS[distance % LAST] ?? "";
    distance = Math.floor(distance / LAST);
    for (; distance > 0; distance = Math.floor((distance - 1) / BEFORE)) {
      digits = (DIGITS[LAST + ((distance - 1) % BEFORE)] ?? "") + digits;
    }
    text += digits + (DIGITS[score - 1] ?? "");
    before = page;
  }
  return text;
}

export function* readPostings(text: string): Generator<Posting, void, undefined> {
  let [page, distance] = [-1, 0];
  for (let at = 0; at < text.length; at++) {
    const digit = VALUES.get(text[at] ?? "") ?? 0;
    if (digit >= LAST) {
      distance = distance * BEFORE + digit - LAST + 1;
      continue;
    }
    page += distance * LAST + digit + 1;
    yield { page, score: (VALUES.get(text[++at] ?? "") ?? 0) + 1 };
    distance = 0;
  }
}

/** Writes lines in the order of their words: of each word what it does not share with the one before. */
export function writeLines(lines: readonly WordLine[]): string {
  let before = "";
  return lines
    .map(({ word, postings, pages }) => {
      let shared = 0;
      while (shared < MOST_SHARED && shared < word.length && word[shared] === before[shared]) shared++;
      before = word;
      const count = pages === undefined ? "" : ` ${pages}`;
      return `${shared.toString(36)}${word.slice(shared)} ${postings}${count}`;
    })
    .join(END);
}

export function readLines(text: string): WordLine[] {
  let before = "";
  return text.split(END).map((line) => {
    const [start = "", postings = "", pages] = line.split(" ");
    const word = before.slice(0, parseInt(start.slice(0, 1), 36)) + start.slice(1);
    before = word;
    return pages === undefined ? { word, postings } : { word, postings, pages: Number(pages) };
  });
}
