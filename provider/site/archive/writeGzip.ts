import { createHash } from "node:crypto";
import { once } from "node:events";
import { appendFile } from "node:fs/promises";
import { createGzip, type Gzip } from "node:zlib";

/** How many bytes are collected before they are passed on. */
const BATCH_BYTES = 256 * 1024;

/** Position of the operating system in a gzip header, and its value for «unknown», see RFC 1952 §2.3.1. */
const SYSTEM_BYTE = 9;
const UNKNOWN_SYSTEM = 255;

/** A gzip file. It appends to an existing file. The same content gives the same bytes. */
export class GzipFile {
  readonly #path: string;
  readonly #gzip: Gzip;
  readonly #compressed = createHash("sha256");
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #output: Buffer[] = [];
  #outputBytes = 0;
  #writtenBytes = 0;

  /** @param level of compression, 1 to 9 */
  constructor(path: string, level: number) {
    this.#path = path;
    this.#gzip = createGzip({ level });
    this.#gzip.on("data", (chunk: Buffer) => {
      if (this.#writtenBytes + this.#outputBytes === 0) chunk[SYSTEM_BYTE] = UNKNOWN_SYSTEM;
      this.#compressed.update(chunk);
      this.#output.push(chunk);
      this.#outputBytes += chunk.length;
    });
    this.#gzip.on("error", () => undefined); // the call that it fails reports it
  }

  /** Keeps a reference to the bytes until they are written: the caller must not change them. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    // Stryker disable next-line ConditionalExpression,EqualityOperator: the batches decide about speed and memory only
    if (this.#pendingBytes >= BATCH_BYTES) await this.#compress();
  }

  /** @returns digest and size of the compressed bytes */
  async end(): Promise<{ digest: string; size: number }> {
    await this.#compress();
    this.#gzip.end();
    await once(this.#gzip, "end");
    await this.#flush();
    return { digest: `sha256:${this.#compressed.digest("hex")}`, size: this.#writtenBytes };
  }

  async #compress(): Promise<void> {
    if (this.#pendingBytes > 0) {
      const batch = Buffer.concat(this.#pending);
      this.#pending = [];
      this.#pendingBytes = 0;
      await new Promise<void>((resolve, reject) => {
        this.#gzip.write(batch, (error) => (error ? reject(error) : resolve()));
      });
    }
    if (this.#outputBytes >= BATCH_BYTES) await this.#flush();
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
