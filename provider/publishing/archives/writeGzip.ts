import { createHash } from "node:crypto";
import { once } from "node:events";
import { appendFile } from "node:fs/promises";
import { constants, crc32, createDeflateRaw, type DeflateRaw } from "node:zlib";

/** How many bytes are collected before they are passed on. */
const BATCH_BYTES = 256 * 1024;

/** How many bytes a stored block of DEFLATE can have, see RFC 1951 §3.2.4. */
const STORED_BYTES = 65_535;

/** Header without name and time, of an unknown system, see RFC 1952 §2.3; the ninth byte is for the best and the fastest level. */
const headerOf = (level: number): Buffer =>
  Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, level === 9 ? 2 : level === 1 ? 4 : 0, 255]);

/** A gzip file. It appends to an existing file. The same calls with the same content give the same bytes. */
export class GzipFile {
  readonly #path: string;
  readonly #deflate: DeflateRaw;
  readonly #compressed = createHash("sha256");
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #output: Uint8Array[] = [];
  #outputBytes = 0;
  #writtenBytes = 0;
  #contentBytes = 0;
  #crc = 0;
  /** Whether the output ends with stored bytes, or with the flush before them. */
  #isStored = false;

  /** @param level of compression, 1 to 9 */
  constructor(path: string, level: number) {
    this.#path = path;
    this.#deflate = createDeflateRaw({ level });
    this.#deflate.on("data", (chunk: Buffer) => this.#put(chunk));
    this.#deflate.on("error", () => undefined); // the call that it fails reports it
    this.#put(headerOf(level));
  }

  /** Keeps a reference to the bytes until they are written: the caller must not change them. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    // Stryker disable next-line ConditionalExpression,EqualityOperator: the batches decide about speed and memory only
    if (this.#pendingBytes >= BATCH_BYTES) await this.#compress();
  }

  /** Writes bytes that would not get smaller, as they are. It keeps a reference as {@link write} does. */
  async store(bytes: Uint8Array): Promise<void> {
    await this.#compress();
    if (!this.#isStored) {
      // ends a block at a whole byte: what is compressed later does not refer to what is before it
      await new Promise<void>((done) => this.#deflate.flush(constants.Z_FULL_FLUSH, done));
      while (this.#deflate.readableLength > 0) await once(this.#deflate, "data");
      this.#isStored = true;
    }
    this.#count(bytes);
    for (let at = 0; at < bytes.length; at += STORED_BYTES) {
      const block = bytes.subarray(at, at + STORED_BYTES);
      const header = Buffer.alloc(5);
      header.writeUInt16LE(block.length, 1);
      header.writeUInt16LE(block.length ^ 0xffff, 3);
      this.#put(header);
      this.#put(block);
    }
    if (this.#outputBytes >= BATCH_BYTES) await this.#flush();
  }

  /** @returns digest and size of the compressed bytes */
  async end(): Promise<{ digest: string; size: number }> {
    await this.#compress();
    this.#deflate.end();
    await once(this.#deflate, "end");
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(this.#crc);
    trailer.writeUInt32LE(this.#contentBytes % 2 ** 32, 4);
    this.#put(trailer);
    await this.#flush();
    return { digest: `sha256:${this.#compressed.digest("hex")}`, size: this.#writtenBytes };
  }

  async #compress(): Promise<void> {
    if (this.#pendingBytes > 0) {
      const batch = Buffer.concat(this.#pending);
      this.#pending = [];
      this.#pendingBytes = 0;
      this.#isStored = false;
      this.#count(batch);
      await new Promise<void>((resolve, reject) => {
        this.#deflate.write(batch, (error) => (error ? reject(error) : resolve()));
      });
    }
    if (this.#outputBytes >= BATCH_BYTES) await this.#flush();
  }

  #count(content: Uint8Array): void {
    this.#crc = crc32(content, this.#crc);
    this.#contentBytes += content.length;
  }

  #put(bytes: Uint8Array): void {
    this.#compressed.update(bytes);
    this.#output.push(bytes);
    this.#outputBytes += bytes.length;
  }

  /** Opens the file for each batch: an abandoned draft keeps no file open. */
  async #flush(): Promise<void> {
    const batch = Buffer.concat(this.#output);
    this.#output = [];
    this.#outputBytes = 0;
    await appendFile(this.#path, batch);
    this.#writtenBytes += batch.length;
  }
}
