import { ownCopy } from "./ownMemory";

/** Cells in one piece of memory. */
const CHUNK = 1 << 16;
/** Numbers in the first and in the largest block of a word. */
const [SMALLEST, LARGEST] = [2, 512];
/** The cells of a block before its numbers: the place of the block before it, how many numbers it has, and how many it can have. */
const CELL = { before: 0, used: 1, size: 2, numbers: 3 } as const;

/**
 * For each word, numbers below 2³². They are outside of the heap, about six bytes each: a list for each word needs several times as much.
 * A word has blocks of numbers, each of which names the one before.
 */
export class Postings {
  /** The place of each word's last block. */
  readonly #places = new Map<string, number>();
  readonly #chunks: Uint32Array[] = [];
  /** The next free cell. At 0 is a block that can have no numbers. */
  #end: number = CELL.numbers;

  add(word: string, entry: number): void {
    const last = this.#places.get(word) ?? 0;
    let cells = this.#at(last);
    let used = cells[CELL.used] ?? 0;
    if (used === (cells[CELL.size] ?? 0)) {
      const size = Math.min(LARGEST, Math.max(SMALLEST, 2 * used));
      const next = this.#take(CELL.numbers + size);
      this.#places.set(last === 0 ? ownCopy(word) : word, next);
      cells = this.#at(next);
      cells.set([last, 0, size]);
      used = 0;
    }
    cells[CELL.numbers + used] = entry;
    cells[CELL.used] = used + 1;
  }

  words(): Iterable<string> {
    return this.#places.keys();
  }

  /** The numbers of a word, in the order in which they were added. */
  of(word: string): Uint32Array {
    const blocks: Uint32Array[] = [];
    let count = 0;
    for (let place = this.#places.get(word) ?? 0; place > 0;) {
      const cells = this.#at(place);
      const used = cells[CELL.used] ?? 0;
      blocks.push(cells.subarray(CELL.numbers, CELL.numbers + used));
      count += used;
      place = cells[CELL.before] ?? 0;
    }
    const entries = new Uint32Array(count);
    for (const block of blocks) entries.set(block, (count -= block.length));
    return entries;
  }

  /** How many numbers a word has. */
  countOf(word: string): number {
    let count = 0;
    for (let place = this.#places.get(word) ?? 0; place > 0;) {
      const cells = this.#at(place);
      count += cells[CELL.used] ?? 0;
      place = cells[CELL.before] ?? 0;
    }
    return count;
  }

  /** The cells from a place on. */
  #at(place: number): Uint32Array {
    return this.#chunks[Math.floor(place / CHUNK)]?.subarray(place % CHUNK) ?? new Uint32Array();
  }

  /** @returns the place of free cells, in one piece */
  #take(cells: number): number {
    if ((this.#end % CHUNK) + cells > CHUNK) this.#end += CHUNK - (this.#end % CHUNK);
    const place = this.#end;
    this.#chunks[Math.floor(place / CHUNK)] ??= new Uint32Array(CHUNK);
    this.#end += cells;
    return place;
  }
}
