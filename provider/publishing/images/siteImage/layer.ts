import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { BundleRefusedError } from "../../../base/runtime/messages/errors";
import type { DigestingSink, SiteFile } from "../../archives/siteSink";
import { GzipFile } from "../../archives/writeGzip";
import { mediaTypeOf } from "../../inspection/mediaTypes";
import type { PlatformImage } from "../registry/image";
import { type Layer, LayerTar } from "./layerTar";
import { webServerFiles } from "./webServer";

/** Text files up to this size get no compressed copy, in bytes. */
const SMALLEST_TEXT = 512;

/** Best compression: a text file is sent to every reader. */
const TEXT_LEVEL = 9;

/** Prefix of a file name with which a layer removes a file, see «Whiteouts» in the OCI image specification. */
const WHITEOUT = ".wh.";
/** Removes everything that the layers below have in a folder. */
const OPAQUE = ".wh..wh..opq";

/** The folder of the site's files in an image: on a base, that which the base's web server serves. */
export const siteRoot = (isOnBase: boolean): string => (isOnBase ? "usr/share/nginx/html" : "site");

/** The path of the compressed copy of a file. */
export const compressedPath = (path: string): string => `${path}.gz`;

/**
 * Writes the image layer with a site's files, in their order; the same files give the same bytes. Compressed copies of text files
 * follow, for web servers that send such files as they are (`gzip_static` of nginx).
 */
export class LayerWriter implements DigestingSink {
  readonly #root: string;
  readonly #base: PlatformImage | undefined;
  readonly #textsPath: string;
  readonly #tar: LayerTar;
  readonly #files = new Map<string, string>();
  /** Compressed copies, stored until all files are written. */
  readonly #texts: { readonly path: string; readonly offset: number; readonly size: number }[] = [];
  #textBytes = 0;
  #isBegun = false;

  /**
   * @param scratch an empty folder for this writer only
   * @param base the base image for one of its platforms, if there is one. The layer hides its files in the folder of the site, and
   *   configures its web server
   * @param sha256 of the archive, from which the time of all files is derived
   */
  constructor(scratch: string, base: PlatformImage | undefined, sha256: string) {
    this.#base = base;
    this.#root = siteRoot(base !== undefined);
    this.#textsPath = join(scratch, "texts");
    this.#tar = new LayerTar(join(scratch, "layer.tar.gz"), sha256);
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
    await this.#tar.parents(full);
    const text =
      mediaTypeOf(path)?.isCompressed === true && size > SMALLEST_TEXT
        ? new GzipFile(this.#textsPath, TEXT_LEVEL)
        : undefined;
    const hash = createHash("sha256");
    await this.#tar.file({ path: full, size }, content, async (piece) => {
      hash.update(piece);
      await text?.write(piece);
    });
    this.#files.set(path, hash.digest("hex"));
    if (text) {
      const { size: compressed } = await text.end();
      if (compressed < size) {
        this.#texts.push({ path: compressedPath(path), offset: this.#textBytes, size: compressed });
      }
      this.#textBytes += compressed;
    }
  }

  digests(): ReadonlyMap<string, string> {
    return this.#files;
  }

  /** Finishes the layer. The writer accepts no more files. @throws the signal's reason */
  async end(signal: AbortSignal): Promise<Layer> {
    await this.#begin();
    for (const { path, offset, size } of this.#texts) {
      signal.throwIfAborted();
      if (this.#files.has(path)) continue; // the site has its own inspected file with this name
      const content = createReadStream(this.#textsPath, { start: offset, end: offset + size - 1 });
      const file = { path: `${this.#root}/${path}`, size, isText: true };
      await this.#tar.file(file, content as AsyncIterable<Buffer>);
    }
    // the folders of these files are those of the base, with their owners
    const more = this.#base ? webServerFiles(this.#root, this.#base) : [];
    for (const { path, content, isExecutable = false } of more) {
      const bytes = Buffer.from(content);
      await this.#tar.file({ path, size: bytes.length, isExecutable }, [bytes]);
    }
    return this.#tar.end();
  }

  /** Adds the site's folder, even if it stays empty. */
  async #begin(): Promise<void> {
    if (this.#isBegun) return;
    this.#isBegun = true;
    await this.#tar.parents(`${this.#root}/`);
    if (this.#base) await this.#tar.file({ path: `${this.#root}/${OPAQUE}`, size: 0 }, []);
  }
}
