import { createHash } from "node:crypto";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import type { SiteFile, SiteSink } from "../../archive/site";
import { DestinationError } from "../../messages/errors";
import type { HeldFile } from "./siteObjects";

/** What is gathered before it is written, in bytes. */
const BLOCK = 1024 * 1024;

/**
 * Holds a site's files until the whole archive was accepted, one after the other in one file: twenty thousand small ones would take
 * longer, and their names would have to suit this machine's disk.
 */
export class Spool implements SiteSink {
  readonly path: string;
  readonly #files: HeldFile[] = [];
  #block: Uint8Array[] = [];
  #blockSize = 0;
  /** Of what was taken so far. */
  #size = 0;

  /** @param folder where its file is made */
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

  /** All files that were taken. Nothing more is taken then. */
  async files(): Promise<readonly HeldFile[]> {
    await this.#write();
    return this.#files;
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
        `the site's files could not be held at ${this.path} (${code})`,
        "They need as much room on this machine's disk as the unpacked site has.",
      );
    }
  }
}
