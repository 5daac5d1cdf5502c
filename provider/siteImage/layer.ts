import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import type { SiteFile, SiteSink } from "../archive/site";
import { BundleRefusedError } from "../messages/errors";
import { GzipFile } from "../archive/writeGzip";
import { tarEnd, tarHeader, tarPadding } from "../archive/writeTar";

/** A layer on this machine. */
export interface Layer {
  readonly path: string;
  /** Of its bytes. */
  readonly digest: string;
  readonly size: number;
  /** Digest of what it is unpacked. */
  readonly diffId: string;
}

/** Endings of texts, for which a compressed one is put beside them: those of the chart's `compress.sh`. */
const TEXT =
  /\.(html?|css|txt|md|csv|ics|vtt|xml|xsl|[mc]?js|rsc|json|map|geojson|webmanifest|jsonld|ya?ml|rss|atom|wasm|[to]tf|eot|svg|bmp|ico)$/;
/** A text that is not larger is not worth it, in bytes. */
const SMALLEST_TEXT = 512;

/** zlib's own choice: the layer goes over the network once a node. */
const LAYER_LEVEL = 6;
/** As small as it gets: a text goes out for every reader. */
const TEXT_LEVEL = 9;

/** 1980, as the chart's `fetch-bundle.sh` has it: no file is of the future, for seven digits are eight years and a half. */
const EARLIEST_SECONDS = 315_532_800;

/** What stands before the name of a file that a layer removes, see the OCI image specification, «Whiteouts». */
const WHITEOUT = ".wh.";
/** Removes all that the layers below have in a folder. */
const OPAQUE = ".wh..wh..opq";

/** Where a compressed text is kept until all files are there. */
interface CompressedText {
  readonly path: string;
  readonly offset: number;
  readonly size: number;
}

/**
 * Makes the layer of an image of a site's files, in their order; the same files give the same bytes. Texts follow once more,
 * compressed, for web servers that send those as they are (`gzip_static` of nginx).
 */
export class LayerWriter implements SiteSink {
  readonly #root: string;
  readonly #hidesBelow: boolean;
  readonly #time: number;
  readonly #path: string;
  readonly #textsPath: string;
  readonly #gzip: GzipFile;
  readonly #unpacked = createHash("sha256");
  readonly #folders = new Set<string>();
  readonly #files = new Set<string>();
  readonly #texts: CompressedText[] = [];
  #textBytes = 0;
  #isBegun = false;

  /**
   * @param scratch an empty folder of its own
   * @param root where in the image: `usr/share/nginx/html`
   * @param hidesBelow whether what the image has there already is hidden
   * @param sha256 of the archive. The time of all files is made of it: web servers make an ETag of time and size, by which an edit
   *   that keeps the size would look unchanged to every browser, were all times the same for ever
   */
  constructor(scratch: string, root: string, hidesBelow: boolean, sha256: string) {
    this.#root = root;
    this.#hidesBelow = hidesBelow;
    this.#time = EARLIEST_SECONDS + parseInt(sha256.slice(0, 7), 16);
    this.#path = join(scratch, "layer.tar.gz");
    this.#textsPath = join(scratch, "texts");
    this.#gzip = new GzipFile(this.#path, LAYER_LEVEL);
  }

  async file({ path, size }: SiteFile, content: AsyncIterable<Uint8Array>): Promise<void> {
    if (path.split("/").some((part) => part.startsWith(WHITEOUT))) {
      throw new BundleRefusedError(
        `the name ${JSON.stringify(path)} would remove a file in an image`,
        `Name no file or folder of the site with ${WHITEOUT} at its beginning, or copy it to a folder or bucket.`,
      );
    }
    await this.#begin();
    const full = `${this.#root}/${path}`;
    await this.#parents(full);
    this.#files.add(path);
    await this.#write(this.#header(full, size));
    const text =
      TEXT.test(path) && size > SMALLEST_TEXT ? new GzipFile(this.#textsPath, TEXT_LEVEL) : undefined;
    let seen = 0;
    for await (const chunk of content) {
      seen += chunk.length;
      await this.#write(chunk);
      await text?.write(chunk);
    }
    if (seen !== size) throw new Error(`${path} has ${seen} bytes, not ${size}`);
    await this.#write(tarPadding(size));
    if (text) {
      const { size: compressed } = await text.end();
      if (compressed < size) {
        this.#texts.push({ path: `${path}.gz`, offset: this.#textBytes, size: compressed });
      }
      this.#textBytes += compressed;
    }
  }

  /** Nothing may be added after it. @throws the signal's reason */
  async end(signal: AbortSignal): Promise<Layer> {
    await this.#begin();
    for (const { path, offset, size } of this.#texts) {
      signal.throwIfAborted();
      if (this.#files.has(path)) continue; // the site's own, which was inspected
      await this.#write(this.#header(`${this.#root}/${path}`, size));
      if (size > 0) {
        const content = createReadStream(this.#textsPath, { start: offset, end: offset + size - 1 });
        for await (const chunk of content) await this.#write(chunk as Buffer);
      }
      await this.#write(tarPadding(size));
    }
    await this.#write(tarEnd());
    const { digest, size } = await this.#gzip.end();
    return { path: this.#path, digest, size, diffId: `sha256:${this.#unpacked.digest("hex")}` };
  }

  /** The site's folder is there also when nothing is in it. */
  async #begin(): Promise<void> {
    if (this.#isBegun) return;
    this.#isBegun = true;
    await this.#parents(`${this.#root}/`);
    if (this.#hidesBelow) await this.#write(this.#header(`${this.#root}/${OPAQUE}`, 0));
  }

  /** The folders that something is in, before it. */
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
    if (bytes.length === 0) return;
    this.#unpacked.update(bytes);
    await this.#gzip.write(bytes);
  }
}
