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
    for (let left = length; left > 0;) {
      const piece = await this.some(left);
      if (piece === undefined) throw endedEarly();
      pieces.push(piece);
      left -= piece.length;
    }
    return Buffer.concat(pieces, length);
  }

  /** The next so many bytes, for someone who may read less of them, see {@link Body.skipRest}. */
  body(length: number): Body {
    return new Body(this, length);
  }

  /** Lets go of the source. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}

/** A part of a source: a source that ends within is an error. */
export class Body implements AsyncIterable<Buffer> {
  readonly #source: ByteReader;
  #left: number;

  constructor(source: ByteReader, length: number) {
    this.#source = source;
    this.#left = length;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    while (this.#left > 0) {
      const piece = await this.#source.some(this.#left);
      if (piece === undefined) throw endedEarly();
      this.#left -= piece.length;
      yield piece;
    }
  }

  /** All that was not read, as one piece. */
  async rest(): Promise<Buffer> {
    const left = this.#left;
    this.#left = 0;
    return await this.#source.exactly(left);
  }

  /** Reads what was not read, so that the source stands behind it. */
  async skipRest(): Promise<void> {
    const rest = this[Symbol.asyncIterator]();
    while ((await rest.next()).done !== true);
  }
}

function endedEarly(): Error {
  return refusal("is broken: it ends too early", BROKEN);
}
