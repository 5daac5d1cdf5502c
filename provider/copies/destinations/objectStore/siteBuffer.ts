import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { SiteFile, SiteSink } from "../../../site/archive/site";
import { DestinationError } from "../../../runtime/messages/errors";
import type { BufferedFile } from "./siteObjects";

/** How many bytes are collected before a write. */
const BLOCK = 1024 * 1024;

/**
 * Holds a site's files, one after the other in one local file, until the whole archive is accepted. Twenty thousand small files
 * would take longer, and the local disk might not allow their names.
 */
export class SiteBuffer implements SiteSink {
  readonly path: string;
  readonly #files: BufferedFile[] = [];
  #block: Uint8Array[] = [];
  #blockSize = 0;
  /** Bytes received so far. */
  #size = 0;

  /** @param folder where the file is created */
  constructor(folder: string) {
    this.path = join(folder, "site");
  }

  async file(file: SiteFile, content: AsyncIterable<Uint8Array>): Promise<void> {
    const offset = this.#size;
    const hash = createHash("sha256");
    for await (const bytes of content) {
      hash.update(bytes);
      this.#block.push(Buffer.from(bytes)); // a copy: the reader may use its memory again
      this.#blockSize += bytes.length;
      this.#size += bytes.length;
      if (this.#blockSize >= BLOCK) await this.#write();
    }
    this.#files.push({ path: file.path, size: this.#size - offset, sha256: hash.digest("hex"), offset });
  }

  /** Writes the rest and returns all received files. It accepts no more files afterwards. */
  async files(): Promise<readonly BufferedFile[]> {
    await this.#write();
    return this.#files;
  }

  /** Reads a received file again, after {@link files}. */
  async read({ offset, size }: Pick<BufferedFile, "offset" | "size">): Promise<Buffer> {
    if (size === 0) return Buffer.alloc(0);
    return buffer(createReadStream(this.path, { start: offset, end: offset + size - 1 }));
  }

  /** Adds content that is not a file of the site, after {@link files}. */
  async add(bytes: Buffer): Promise<Omit<BufferedFile, "path">> {
    const offset = this.#size;
    this.#size += bytes.length;
    this.#block.push(bytes);
    this.#blockSize += bytes.length;
    await this.#write();
    return { size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex"), offset };
  }

  async #write(): Promise<void> {
    if (this.#blockSize === 0) return;
    const block = Buffer.concat(this.#block);
    this.#block = [];
    this.#blockSize = 0;
    try {
      await appendFile(this.path, block, { mode: 0o600 });
    } catch (error) {
      const { code = "failed" } = error as NodeJS.ErrnoException;
      throw new DestinationError(
        `the site's files could not be stored at ${this.path} (${code})`,
        "They need as much space on this machine's disk as the unpacked site.",
      );
    }
  }
}
