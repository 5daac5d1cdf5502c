// In which section a long page has words of texts that are not stored with it. Runs in browsers, too.
//
// The table does not contain the words, which the index has: each bit of a word's section is the sum of some bits of the table, which the
// word's hash chooses (a static function, solved as a ribbon: the bits of an equation are near each other). Sections with many words have
// short codes. A word that was not put in gives any section.
import { DIGITS } from "./wordLines";

/** Digits of six bits. */
const SIXES = `${DIGITS}-_`;
const VALUES = new Map(Array.from(SIXES, (digit, value) => [digit, value]));
/** Between the lengths of the codes and the bits. */
const END = " ";
/** An equation is about so many neighbouring bits, at most. */
const WIDTH = 32;
/** Words of one table: a reader loads one for a word. Tables of many more words also need more bits for each. */
const WORDS = 1_000;
/** Bits beside those of the equations: with fewer, hardly any table can be made. */
const SPARE = 1.05;
/** Tables with this many seeds are tried before one becomes larger. */
const SEEDS = 2;
const LARGER = 1.02;

/** Where the tables of a page are: of each, the id of a file, and its number in it. */
export type PlacesAt = readonly (string | number)[];

/** A word, and its section; undefined for one of many sections. */
type Place = readonly [word: string, section: number | undefined];

/**
 * @param sectionOf the section of each word; undefined for one of many sections
 * @param range a number above all of them
 * @returns tables, of which {@link tableOf} names that of a word
 */
export function writePlaces(sectionOf: ReadonlyMap<string, number | undefined>, range: number): string[] {
  const tables = Array.from({ length: Math.ceil(sectionOf.size / WORDS) }, (): Place[] => []);
  for (const place of sectionOf) tables[tableOf(place[0], tables.length)]?.push(place);
  return tables.map((places) => writeTable(places, range));
}

/** Which of the tables of a page has a word. */
export function tableOf(word: string, tables: number): number {
  return Math.floor((hashOf(word) / 2 ** 32) * tables);
}

function writeTable(places: readonly Place[], range: number): string {
  const counts = new Array<number>(range + 1).fill(0);
  for (const [, section = range] of places) counts[section] = (counts[section] ?? 0) + 1;
  const lengths = codeLengths(counts);
  const codes = codesOf(lengths);
  const written = lengths.map((length) => SIXES[length] ?? "").join("");
  const equations = counts.reduce((sum, count, section) => sum + count * (lengths[section] ?? 0), 0);
  for (let attempt = 0; ; attempt++) {
    const digits = Math.ceil((SPARE * LARGER ** Math.floor(attempt / SEEDS) * equations + WIDTH) / 6);
    const seed = attempt % SIXES.length;
    const ribbon = new Ribbon(6 * digits, seed);
    const isSolved = places.every(([word, section = range]) =>
      ribbon.add(hashOf(word), codes[section] ?? 0, lengths[section] ?? 0),
    );
    if (isSolved) return written + END + (SIXES[seed] ?? "") + ribbon.solution();
  }
}

/**
 * The section of a word that was put into the table, undefined for one of many sections. Of another word, any section.
 *
 * @param range as the table was written with
 */
export function readPlace(table: string, word: string, range: number): number | undefined {
  const [written = "", bits = ""] = table.split(END);
  const lengths = Array.from(written, valueOf);
  const hash = hashOf(word);
  const [seed = 0, ...values] = Array.from(bits, valueOf);
  let [code, first] = [0, 0];
  for (let at = 0; at < Math.max(...lengths); at++) {
    const own = equationOf(hash, seed, at);
    const [start, chosen] = [startOf(own, 6 * values.length), chosenOf(own)];
    let bit = 0;
    for (let next = 0; next < WIDTH; next++) {
      const place = start + next;
      bit ^= (chosen >>> next) & ((values[Math.floor(place / 6)] ?? 0) >>> (place % 6)) & 1;
    }
    [code, first] = [2 * code + bit, 2 * first];
    const same = lengths.flatMap((length, number) => (length === at + 1 ? [number] : []));
    const section = same[code - first];
    if (section !== undefined) return section < range ? section : undefined;
    first += same.length;
  }
  return undefined;
}

const valueOf = (digit: string): number => VALUES.get(digit) ?? 0;

/** The lengths of Huffman's codes. @param counts how often each number is written */
function codeLengths(counts: readonly number[]): number[] {
  interface Tree {
    readonly count: number;
    readonly numbers: readonly number[];
  }
  const lengths = counts.map(() => 0);
  const single = [...counts.entries()]
    .filter(([, count]) => count > 0)
    .map(([number, count]): Tree => ({ count, numbers: [number] }))
    .sort((one, other) => one.count - other.count);
  if (single.length === 1) for (const number of single[0]?.numbers ?? []) lengths[number] = 1;
  /** By ascending count, too: each is made of more than the one before. */
  const joined: Tree[] = [];
  const least = (): Tree | undefined =>
    (single[0]?.count ?? Infinity) <= (joined[0]?.count ?? Infinity) ? single.shift() : joined.shift();
  while (single.length + joined.length > 1) {
    const [one, other] = [least(), least()];
    if (!one || !other) break;
    const numbers = [...one.numbers, ...other.numbers];
    for (const number of numbers) lengths[number] = (lengths[number] ?? 0) + 1;
    joined.push({ count: one.count + other.count, numbers });
  }
  return lengths;
}

/** The codes with these lengths: of a shorter one before those of a longer one, of the same length by their numbers. */
function codesOf(lengths: readonly number[]): number[] {
  const codes = lengths.map(() => 0);
  let code = 0;
  for (let length = 1; length <= Math.max(...lengths); length++) {
    for (const [number, own] of lengths.entries()) if (own === length) codes[number] = code++;
    code *= 2;
  }
  return codes;
}

function hashOf(word: string): number {
  let hash = 0x9e3779b9;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return mixed(hash);
}

function mixed(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Which bits make a bit of a word's code: those chosen of the ones from a place on, the first one always. */
const equationOf = (hash: number, seed: number, bit: number): number =>
  mixed(hash + Math.imul(64 * seed + bit + 1, 0x85ebca6b));
const startOf = (equation: number, size: number): number =>
  Math.floor((equation / 2 ** 32) * (size - WIDTH + 1));
const chosenOf = (equation: number): number => Math.imul(equation, 0x9e3779b1) | 1;

/** Equations between bits, in the form in which each has a first bit of its own. */
class Ribbon {
  readonly #seed: number;
  readonly #chosen: Int32Array;
  readonly #sums: Uint8Array;

  constructor(size: number, seed: number) {
    this.#seed = seed;
    this.#chosen = new Int32Array(size);
    this.#sums = new Uint8Array(size);
  }

  /** @returns false if it contradicts the others */
  add(hash: number, code: number, length: number): boolean {
    for (let bit = 0; bit < length; bit++) {
      const equation = equationOf(hash, this.#seed, bit);
      if (!this.#put(equation, (code >>> (length - 1 - bit)) & 1)) return false;
    }
    return true;
  }

  #put(equation: number, sum: number): boolean {
    let start = startOf(equation, this.#chosen.length);
    let chosen = chosenOf(equation);
    while (chosen !== 0) {
      const first = 31 - Math.clz32(chosen & -chosen);
      start += first;
      chosen >>>= first;
      const other = this.#chosen[start] ?? 0;
      if (other === 0) {
        this.#chosen[start] = chosen;
        this.#sums[start] = sum;
        return true;
      }
      chosen ^= other;
      sum ^= this.#sums[start] ?? 0;
    }
    return sum === 0;
  }

  /** Bits that solve all equations, six a digit. */
  solution(): string {
    const values = new Uint8Array(this.#chosen.length / 6);
    let following = 0;
    for (let at = this.#chosen.length - 1; at >= 0; at--) {
      following <<= 1; // the bits from this one on, which is not known yet
      let known = (this.#chosen[at] ?? 0) & following;
      for (let half = 16; half > 0; half >>= 1) known ^= known >>> half;
      const value = (this.#sums[at] ?? 0) ^ (known & 1);
      following |= value;
      values[Math.floor(at / 6)] = (values[Math.floor(at / 6)] ?? 0) | (value << (at % 6));
    }
    return Array.from(values, (value) => SIXES[value] ?? "").join("");
  }
}
