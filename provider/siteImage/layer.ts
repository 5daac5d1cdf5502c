import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { mediaTypeOf } from "../archive/mediaTypes";
import type { SiteFile, SiteSink } from "../archive/site";
import { BundleRefusedError } from "../messages/errors";
import { GzipFile } from "../archive/writeGzip";
import type { Blob } from "../registry/content";
import { tarEnd, tarHeader, tarPadding } from "../archive/writeTar";
import type { PlatformImage } from "../registry/image";
import { webServerFiles, type ImageFile } from "./webServer";

/** A layer in a local file. Digest and size are those of its compressed bytes. */
export interface Layer extends Blob {
  readonly path: string;
  /** Digest of its uncompressed bytes. */
  readonly diffId: string;
}

/** Text files up to this size get no compressed copy, in bytes. */
const SMALLEST_TEXT = 512;

/** zlib's default: the layer is transferred once per node. */
const LAYER_LEVEL = 6;
/** Best compression: a text file is sent to every reader. */
const TEXT_LEVEL = 9;

/**
 * 1980, as in the chart's `fetch-bundle.sh`. Seven hexadecimal digits of seconds are eight and a half years, so no date is in
 * the future.
 */
const EARLIEST_SECONDS = 315_532_800;

/** Prefix of a file name with which a layer removes a file, see «Whiteouts» in the OCI image specification. */
const WHITEOUT = ".wh.";
/** Removes everything that the layers below have in a folder. */
const OPAQUE = ".wh..wh..opq";

/** The folder of the site's files in an image: on a base, that which the base's web server serves. */
export const siteRoot = (isOnBase: boolean): string => (isOnBase ? "usr/share/nginx/html" : "site");

/** The path of the compressed copy of a file. */
export const compressedPath = (path: string): string => `${path}.gz`;

/** A compressed copy, stored until all files are written. */
interface CompressedText {
  readonly path: string;
  readonly offset: number;
  readonly size: number;
}

/**
 * Writes the image layer with a site's files, in their order; the same files give the same bytes. Compressed copies of text files
 * follow, for web servers that send such files as they are (`gzip_static` of nginx).
 */
export class LayerWriter implements SiteSink {
  readonly #root: string;
  readonly #isOnBase: boolean;
  readonly #time: number;
  readonly #path: string;
  readonly #textsPath: string;
  readonly #more: readonly ImageFile[];
  readonly #gzip: GzipFile;
  readonly #unpacked = createHash("sha256");
  readonly #folders = new Set<string>();
  readonly #files = new Set<string>();
  readonly #texts: CompressedText[] = [];
  #textBytes = 0;
  #isBegun = false;

  /**
   * @param scratch an empty folder for this writer only
   * @param base the base image for one of its platforms, if there is one. The layer hides its files in the folder of the site, and
   *   configures its web server
   * @param sha256 of the archive. The time of all files is derived from it: web servers compute an ETag from time and size,
   *   so with a constant time, browsers would not notice an edit that keeps the size
   */
  constructor(scratch: string, base: PlatformImage | undefined, sha256: string) {
    this.#isOnBase = base !== undefined;
    this.#root = siteRoot(this.#isOnBase);
    this.#more = base ? webServerFiles(this.#root, base) : [];
    this.#time = EARLIEST_SECONDS + parseInt(sha256.slice(0, 7), 16);
    this.#path = join(scratch, "layer.tar.gz");
    this.#textsPath = join(scratch, "texts");
    this.#gzip = new GzipFile(this.#path, LAYER_LEVEL);
  }

  async file({ path, size }: SiteFile, content: AsyncIterable<Uint8Array>): Promise<void> {
    if (path.split("/").some((part) => part.startsWith(WHITEOUT))) {
      throw new BundleRefusedError(
        `the name ${JSON.stringify(path)} would remove a file in an image`,
        `Rename each file and folder of the site that begins with ${WHITEOUT}, or copy the site to a folder or bucket.`,
      );
    }
    await this.#begin();
    const full = `${this.#root}/${path}`;
    await this.#parents(full);
    this.#files.add(path);
    await this.#write(this.#header(full, size));
    const text =
      mediaTypeOf(path)?.isCompressed === true && size > SMALLEST_TEXT
        ? new GzipFile(this.#textsPath, TEXT_LEVEL)
        : undefined;
    let writtenBytes = 0;
    for await (const chunk of content) {
      writtenBytes += chunk.length;
      await this.#write(chunk);
      await text?.write(chunk);
    }
    if (writtenBytes !== size) throw new Error(`${path} has ${writtenBytes} bytes, not ${size}`);
    await this.#write(tarPadding(size));
    if (text) {
      const { size: compressed } = await text.end();
      if (compressed < size) {
        this.#texts.push({ path: compressedPath(path), offset: this.#textBytes, size: compressed });
      }
      this.#textBytes += compressed;
    }
  }

  /** Finishes the layer. The writer accepts no more files. @throws the signal's reason */
  async end(signal: AbortSignal): Promise<Layer> {
    await this.#begin();
    for (const { path, offset, size } of this.#texts) {
      signal.throwIfAborted();
      if (this.#files.has(path)) continue; // the site has its own inspected file with this name
      await this.#write(this.#header(`${this.#root}/${path}`, size));
      const content = createReadStream(this.#textsPath, { start: offset, end: offset + size - 1 });
      for await (const chunk of content) await this.#write(chunk as Buffer);
      await this.#write(tarPadding(size));
    }
    // the folders of these files are those of the base, with their owners
    for (const { path, content, isExecutable = false } of this.#more) {
      const bytes = Buffer.from(content);
      await this.#write(tarHeader({ path, size: bytes.length, time: this.#time, isExecutable }));
      await this.#write(bytes);
      await this.#write(tarPadding(bytes.length));
    }
    await this.#write(tarEnd());
    const { digest, size } = await this.#gzip.end();
    return { path: this.#path, digest, size, diffId: `sha256:${this.#unpacked.digest("hex")}` };
  }

  /** Adds the site's folder, even if it stays empty. */
  async #begin(): Promise<void> {
    if (this.#isBegun) return;
    this.#isBegun = true;
    await this.#parents(`${this.#root}/`);
    if (this.#isOnBase) await this.#write(this.#header(`${this.#root}/${OPAQUE}`, 0));
  }

  /** Adds the parent folders of a path. */
  async #parents(path: string): Promise<void> {
    for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
      const folder = path.slice(0, at + 1);
      if (this.#folders.has(folder)) continue;
      this.#folders.add(folder);
      await this.#write(this.#header(folder, 0));
    }
  }

  #header(path: string, size: number): Buffer {
    return tarHeader({ path, size, time: this.#time });
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#unpacked.update(bytes);
    await this.#gzip.write(bytes);
  }
}
