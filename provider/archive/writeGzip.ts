import { createHash } from "node:crypto";
import { once } from "node:events";
import { appendFile } from "node:fs/promises";
import { createGzip, type Gzip } from "node:zlib";

/** How much is collected before it is passed on, in bytes. */
const BATCH_BYTES = 256 * 1024;

/** Where the header of gzip names the system that wrote it, and what says that nobody knows, see RFC 1952 §2.3.1. */
const SYSTEM_BYTE = 9;
const UNKNOWN_SYSTEM = 255;

/** A file that is filled with what is compressed: at its end, where there is something already. The same content, the same bytes. */
export class GzipFile {
  readonly #path: string;
  readonly #gzip: Gzip;
  readonly #compressed = createHash("sha256");
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #output: Buffer[] = [];
  #outputBytes = 0;
  #writtenBytes = 0;
  #failure: unknown;

  /** @param level of gzip, 1 to 9 */
  constructor(path: string, level: number) {
    this.#path = path;
    this.#gzip = createGzip({ level });
    this.#gzip.on("data", (chunk: Buffer) => {
      if (this.#writtenBytes + this.#outputBytes === 0) chunk[SYSTEM_BYTE] = UNKNOWN_SYSTEM;
      this.#compressed.update(chunk);
      this.#output.push(chunk);
      this.#outputBytes += chunk.length;
    });
    this.#gzip.on("error", (error) => (this.#failure = error));
  }

  /** The bytes are kept until they are written: they must not change. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= BATCH_BYTES) await this.#compress();
  }

  /** @returns digest and size of what was written */
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

  /** Opened for each batch: a draft that nobody ends keeps no file open. */
  async #flush(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure as Error;
    const batch = Buffer.concat(this.#output);
    this.#output = [];
    this.#outputBytes = 0;
    await appendFile(this.#path, batch);
    this.#writtenBytes += batch.length;
  }
}
