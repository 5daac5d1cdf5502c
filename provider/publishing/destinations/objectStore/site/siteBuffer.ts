import { createHash, hash } from "node:crypto";
import { appendFile, type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { DestinationError } from "../../../../base/runtime/messages/errors";
import type { DigestingSink, SiteFile } from "../../../archives/siteSink";
import { headersOf } from "../fileHeaders";
import type { BufferedFile } from "./siteObjects";

/** How many bytes are collected before a write. */
const BLOCK = 1024 * 1024;
/** How many bytes are read at once, so that small files are not read one by one. */
const READ_BLOCK = 64 * 1024;

/**
 * Holds a site's files, one after the other in one local file, until the whole archive is accepted. Twenty thousand small files
 * would take longer, and the local disk might not allow their names.
 */
export class SiteBuffer implements DigestingSink {
  readonly path: string;
  readonly #files: BufferedFile[] = [];
  #block: Uint8Array[] = [];
  #blockSize = 0;
  /** Bytes received so far. */
  #size = 0;
  #reader: Promise<FileHandle> | undefined;
  /** What was read last. */
  #held: { readonly start: number; readonly end: number; readonly bytes: Promise<Buffer> } | undefined;

  /** @param folder where the file is created */
  constructor(folder: string) {
    this.path = join(folder, "site");
  }

  async file(file: SiteFile, content: AsyncIterable<Uint8Array>): Promise<void> {
    const offset = this.#size;
    const digest = createHash("sha256");
    for await (const bytes of content) {
      digest.update(bytes);
      this.#append(Buffer.from(bytes)); // a copy: the reader may use its memory again
      if (this.#blockSize >= BLOCK) await this.#write();
    }
    const { path } = file;
    const size = this.#size - offset;
    const sha256 = digest.digest("hex");
    this.#files.push({ path, size, sha256, offset, headers: headersOf(path), revision: "" });
  }

  digests(): ReadonlyMap<string, string> {
    return new Map(this.#files.map(({ path, sha256 }) => [path, sha256]));
  }

  /** Writes the rest and returns all received files. It accepts no more files afterwards. */
  async files(): Promise<readonly BufferedFile[]> {
    await this.#write();
    return this.#files;
  }

  /**
   * Reads a received file again, after {@link files}, together with small ones that follow it: they are usually read next. Its
   * digest is not verified.
   */
  async read({ offset, size }: Pick<BufferedFile, "offset" | "size">): Promise<Buffer> {
    let held = this.#held;
    if (held === undefined || offset < held.start || offset + size > held.end) {
      const end = Math.max(offset + size, Math.min(offset + READ_BLOCK, this.#size));
      held = this.#held = { start: offset, end, bytes: this.#readBetween(offset, end) };
    }
    return (await held.bytes).subarray(offset - held.start, offset - held.start + size);
  }

  async #readBetween(start: number, end: number): Promise<Buffer> {
    this.#reader ??= open(this.path);
    const bytes = Buffer.allocUnsafeSlow(end - start);
    const { bytesRead } = await (await this.#reader).read(bytes, 0, end - start, start);
    return bytes.subarray(0, bytesRead);
  }

  /** Ends {@link read}. */
  async close(): Promise<void> {
    this.#held = undefined;
    await (await this.#reader)?.close();
    this.#reader = undefined;
  }

  /** Adds content that is not a file of the site, after {@link files}. */
  async add(bytes: Buffer): Promise<Pick<BufferedFile, "size" | "sha256" | "offset">> {
    const offset = this.#size;
    this.#append(bytes);
    await this.#write();
    return { size: bytes.length, sha256: hash("sha256", bytes), offset };
  }

  #append(bytes: Buffer): void {
    this.#block.push(bytes);
    this.#blockSize += bytes.length;
    this.#size += bytes.length;
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
