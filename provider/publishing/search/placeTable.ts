// In which section a long page has words of texts that are not stored with it. Runs in browsers, too.
//
// The table does not contain the words, which the index has: the number of a word's section is the sum of three values, at places that
// the word's hash gives (a static function by hypergraph peeling, as in Bloomier filters). A word that was not put in gives any section.
import { DIGITS } from "./wordLines";

/** Values for each word, in one of three parts: with fewer, most tables cannot be made. */
const SHARE = 0.41;
const LEAST = 2;
/** Tables with this many seeds are tried before one becomes larger. */
const SEEDS = DIGITS.length;

/**
 * @param sectionOf the section of each word; undefined for one of many sections
 * @param range a number above all of them
 * @returns the seed, and the values
 */
export function writePlaces(sectionOf: ReadonlyMap<string, number | undefined>, range: number): string {
  if (sectionOf.size === 0) return "";
  const words = [...sectionOf.keys()];
  const { base, digits } = numbersOf(range);
  const sum = base ** digits;
  for (let attempt = 0; ; attempt++) {
    const seed = attempt % SEEDS;
    const part = Math.ceil(SHARE * words.length) + LEAST + Math.floor(attempt / SEEDS);
    const slots = words.map((word) => slotsOf(word, seed, part));
    const order = peeled(slots, 3 * part);
    if (order === undefined) continue;
    const values = new Uint32Array(3 * part);
    for (const { word, slot } of order.reverse()) {
      const others = (slots[word] ?? []).reduce((total, each) => total + (values[each] ?? 0), 0);
      const section = sectionOf.get(words[word] ?? "") ?? range;
      values[slot] = (((section - others) % sum) + sum) % sum;
    }
    const written = Array.from(values, (value) => {
      let text = "";
      for (let digit = 0; digit < digits; digit++) {
        text += DIGITS[value % base] ?? "";
        value = Math.floor(value / base);
      }
      return text;
    });
    return (DIGITS[seed] ?? "") + written.join("");
  }
}

/**
 * The section of a word that was put into the table, undefined for one of many sections. Of another word, any section.
 *
 * @param range as the table was written with
 */
export function readPlace(table: string, word: string, range: number): number | undefined {
  const { base, digits } = numbersOf(range);
  const part = (table.length - 1) / (3 * digits);
  let sum = 0;
  for (const slot of slotsOf(word, DIGITS.indexOf(table[0] ?? ""), part)) {
    for (let digit = 0; digit < digits; digit++) {
      sum += DIGITS.indexOf(table[1 + slot * digits + digit] ?? "") * base ** digit;
    }
  }
  const section = sum % base ** digits;
  return section < range ? section : undefined;
}

/** How sections below a number, and the number itself, are written: with as few digits as possible, of a base as small as possible. */
function numbersOf(range: number): { readonly base: number; readonly digits: number } {
  let digits = 1;
  while (DIGITS.length ** digits <= range) digits++;
  let base = 1;
  while (base ** digits <= range) base++;
  return { base, digits };
}

/** The places of a word, one in each part of the table. */
function slotsOf(word: string, seed: number, part: number): number[] {
  let hash = Math.imul(seed + 1, 0x9e3779b9);
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return [0, 1, 2].map((number) => {
    let mixed = hash + Math.imul(number + 1, 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
    mixed ^= mixed >>> 16;
    return number * part + Math.floor(((mixed >>> 0) / 2 ** 32) * part);
  });
}

/**
 * An order of the words in which each has a place that none of the words after it has.
 *
 * @returns undefined if there is none
 */
function peeled(
  slots: readonly (readonly number[])[],
  size: number,
): { word: number; slot: number }[] | undefined {
  const counts = new Uint32Array(size);
  /** The sum of the words that have a place: of a single one, that word. */
  const sums = new Float64Array(size);
  for (const [word, own] of slots.entries()) {
    for (const slot of own) {
      counts[slot] = (counts[slot] ?? 0) + 1;
      sums[slot] = (sums[slot] ?? 0) + word;
    }
  }
  const order: { word: number; slot: number }[] = [];
  const single = [...counts.keys()].filter((slot) => counts[slot] === 1);
  for (let slot = single.pop(); slot !== undefined; slot = single.pop()) {
    if (counts[slot] !== 1) continue;
    const word = sums[slot] ?? 0;
    order.push({ word, slot });
    for (const other of slots[word] ?? []) {
      counts[other] = (counts[other] ?? 0) - 1;
      sums[other] = (sums[other] ?? 0) - word;
      if (counts[other] === 1) single.push(other);
    }
  }
  return order.length === slots.length ? order : undefined;
}
