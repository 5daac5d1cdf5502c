import { ownCopy } from "./ownMemory";

/** Cells in one piece of memory. */
const CHUNK = 1 << 16;
/** Numbers in the first and in the largest block of a word. */
const [SMALLEST, LARGEST] = [2, 512];

/** The cells of a word, and of a block before its numbers. */
const WORD = { block: 0, size: 1, used: 2, cells: 3 } as const;
const BLOCK = { before: 0, sizeBefore: 1, cells: 2 } as const;

/**
 * For each word, numbers below 2³². They are outside of the heap, about six bytes each: a list for each word needs several times as much.
 * A word has blocks of numbers, each of which names the one before.
 */
export class Postings {
  /** The place of each word's cells. */
  readonly #places = new Map<string, number>();
  readonly #chunks: Uint32Array[] = [];
  /** The next free cell. 0 is no place. */
  #end = 1;

  add(word: string, entry: number): void {
    let place = this.#places.get(word);
    if (place === undefined) this.#places.set(ownCopy(word), (place = this.#take(WORD.cells)));
    const cells = this.#at(place);
    const used = cells[WORD.used] ?? 0;
    if (used === cells[WORD.size]) {
      const size = Math.min(LARGEST, Math.max(SMALLEST, 2 * used));
      const next = this.#take(BLOCK.cells + size);
      this.#at(next).set([cells[WORD.block] ?? 0, used]);
      cells.set([next, size, 0]);
    }
    this.#at(cells[WORD.block] ?? 0)[BLOCK.cells + (cells[WORD.used] ?? 0)] = entry;
    cells[WORD.used] = (cells[WORD.used] ?? 0) + 1;
  }

  words(): Iterable<string> {
    return this.#places.keys();
  }

  /** The numbers of a word, in no order. */
  of(word: string): number[] {
    const entries: number[] = [];
    const place = this.#places.get(word);
    if (place === undefined) return entries;
    let [block = 0, , used = 0] = this.#at(place);
    while (block > 0) {
      const cells = this.#at(block);
      for (let at = 0; at < used; at++) entries.push(cells[BLOCK.cells + at] ?? 0);
      block = cells[BLOCK.before] ?? 0;
      used = cells[BLOCK.sizeBefore] ?? 0;
    }
    return entries;
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
