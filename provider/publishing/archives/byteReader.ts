import { BROKEN, bundleRefusal } from "./refusal";

/** Reads pieces of requested lengths from chunks of any length. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Returns at least one byte and at most `limit`, without copying; `undefined` at the end. Valid until the next call. */
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
   * Returns exactly `length` bytes.
   *
   * @throws BundleRefusedError when the source ends earlier
   */
  async exactly(length: number): Promise<Buffer> {
    // Stryker disable next-line ConditionalExpression,EqualityOperator: only quicker than what follows
    if (this.#chunk.length >= length) {
      const piece = this.#chunk.subarray(0, length);
      this.#chunk = this.#chunk.subarray(length);
      return piece;
    }
    const pieces: Buffer[] = [];
    for await (const piece of this.pieces(length)) pieces.push(piece);
    return Buffer.concat(pieces, length);
  }

  /** Yields the next `length` bytes, piece by piece. @throws BundleRefusedError when the source ends earlier */
  async *pieces(length: number): AsyncGenerator<Buffer, void, undefined> {
    for (let left = length; left > 0;) {
      const piece = await this.some(left);
      if (piece === undefined) throw endedEarly();
      left -= piece.length;
      yield piece;
    }
  }

  /** Releases the source. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}

/** Content that its reader may read only in part: stopping early does not end it, because the rest must still be verified. */
export function partlyReadable(
  pieces: AsyncIterator<Uint8Array, void, undefined>,
): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => pieces.next() }) };
}

/** Reads the rest of a content, so that the source continues after it. */
export async function skipRest(pieces: AsyncIterator<Uint8Array, void, undefined>): Promise<void> {
  while ((await pieces.next()).done !== true);
}

function endedEarly(): Error {
  return bundleRefusal("is broken: it ends too early", BROKEN);
}
