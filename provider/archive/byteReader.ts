import { BROKEN, refusal } from "./refusal";

/** Takes pieces of wanted lengths from chunks of any. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** At least one byte and at most so many, without copying; `undefined` at the end. Good until the next call. */
  async some(limit: number): Promise<Buffer | undefined> {
    while (this.#chunk.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return undefined;
      this.#chunk = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    }
    const piece = this.#chunk.subarray(0, limit);
    this.#chunk = this.#chunk.subarray(piece.length);
    return piece;
  }

  /**
   * Exactly so many bytes.
   *
   * @throws BundleRefusedError where the source ends before
   */
  async exactly(length: number): Promise<Buffer> {
    if (this.#chunk.length >= length) {
      const piece = this.#chunk.subarray(0, length);
      this.#chunk = this.#chunk.subarray(length);
      return piece;
    }
    const pieces: Buffer[] = [];
    for await (const piece of this.pieces(length)) pieces.push(piece);
    return Buffer.concat(pieces, length);
  }

  /** The next so many bytes, piece by piece. @throws BundleRefusedError where the source ends before */
  async *pieces(length: number): AsyncGenerator<Buffer, void, undefined> {
    for (let left = length; left > 0;) {
      const piece = await this.some(left);
      if (piece === undefined) throw endedEarly();
      left -= piece.length;
      yield piece;
    }
  }

  /** Lets go of the source. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}

/** The content of an entry, for someone who may read less of it. */
export class EntryContent implements AsyncIterable<Uint8Array> {
  readonly #pieces: AsyncGenerator<Uint8Array, void, undefined>;

  constructor(pieces: AsyncGenerator<Uint8Array, void, undefined>) {
    this.#pieces = pieces;
  }

  /** A reader that stops early does not end it: the rest is still to be checked. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, void, undefined> {
    return { next: () => this.#pieces.next() };
  }

  /** Reads what was not read, so that the source stands behind it. */
  async skipRest(): Promise<void> {
    while ((await this.#pieces.next()).done !== true);
  }
}

function endedEarly(): Error {
  return refusal("is broken: it ends too early", BROKEN);
}
