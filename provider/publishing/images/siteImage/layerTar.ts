import { createHash } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { inBlocks } from "../../archives/blocks";
import { GzipFile } from "../../archives/writeGzip";
import { tarEnd, tarHeader, tarPadding } from "../../archives/writeTar";
import { mediaTypeOf } from "../../inspection/mediaTypes";
import type { Blob } from "../registry/content";

/** A layer in a local file. Digest and size are those of its compressed bytes. */
export interface Layer extends Blob {
  readonly path: string;
  /** Digest of its uncompressed bytes. */
  readonly diffId: string;
}

/** zlib's default: the layer is transferred once per node. */
const LAYER_LEVEL = 6;

/**
 * A large file is compressed in blocks of this size. A block is stored as it is if its beginning does not get smaller: compression would
 * take half of the time of a push, for nothing. Texts are always compressed, and so are small files, for which an interruption costs more
 * than it saves. Nothing but the file decides: the same files give the same bytes.
 */
const BLOCK_BYTES = 1024 * 1024;
const TRIAL_BYTES = 32 * 1024;
/** The part of its size that the beginning must keep. */
const INCOMPRESSIBLE = 0.98;
const SMALLEST_TRIED = 128 * 1024;

/**
 * 1980, as in the chart's `fetch-bundle.sh`. Seven hexadecimal digits of seconds are eight and a half years, so no date is in
 * the future.
 */
const EARLIEST_SECONDS = 315_532_800;

/** A file of a layer. */
interface LayerFile {
  readonly path: string;
  readonly size: number;
  readonly isExecutable?: boolean;
  /** @default by its name */
  readonly isText?: boolean;
}

/** Writes the tar.gz of a layer: the same entries give the same bytes. */
export class LayerTar {
  readonly #path: string;
  readonly #time: number;
  readonly #gzip: GzipFile;
  readonly #unpacked = createHash("sha256");
  readonly #folders = new Set<string>();

  /**
   * @param path of the file
   * @param sha256 of the site's archive. The time of all files is derived from it: web servers compute an ETag from time and size,
   *   so with a constant time, browsers would not notice an edit that keeps the size
   */
  constructor(path: string, sha256: string) {
    this.#path = path;
    this.#time = EARLIEST_SECONDS + parseInt(sha256.slice(0, 7), 16);
    this.#gzip = new GzipFile(path, LAYER_LEVEL);
  }

  /** Adds the parent folders of a path that are not in the layer yet. */
  async parents(path: string): Promise<void> {
    for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
      const folder = path.slice(0, at + 1);
      if (this.#folders.has(folder)) continue;
      this.#folders.add(folder);
      await this.#write(tarHeader({ path: folder, size: 0, time: this.#time }));
    }
  }

  /** Adds a file, without its folders. @param passing receives each piece of the content */
  async file(
    { path, size, isExecutable = false, isText = mediaTypeOf(path)?.isCompressed === true }: LayerFile,
    content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    passing?: (piece: Uint8Array) => Promise<void>,
  ): Promise<void> {
    await this.#write(tarHeader({ path, size, time: this.#time, isExecutable }));
    const isTried = !isText && size >= SMALLEST_TRIED;
    let writtenBytes = 0;
    for await (const piece of isTried ? inBlocks(content, BLOCK_BYTES) : content) {
      writtenBytes += piece.length;
      await this.#write(piece, isTried && isIncompressible(piece));
      await passing?.(piece);
    }
    if (writtenBytes !== size) throw new Error(`${path} has ${writtenBytes} bytes, not ${size}`);
    await this.#write(tarPadding(size));
  }

  /** Finishes the layer. */
  async end(): Promise<Layer> {
    await this.#write(tarEnd());
    const { digest, size } = await this.#gzip.end();
    return { path: this.#path, digest, size, diffId: `sha256:${this.#unpacked.digest("hex")}` };
  }

  async #write(bytes: Uint8Array, isStored = false): Promise<void> {
    this.#unpacked.update(bytes);
    await (isStored ? this.#gzip.store(bytes) : this.#gzip.write(bytes));
  }
}

function isIncompressible(block: Uint8Array): boolean {
  const trial = block.subarray(0, TRIAL_BYTES);
  return (
    trial.length === TRIAL_BYTES &&
    deflateRawSync(trial, { level: LAYER_LEVEL }).length > INCOMPRESSIBLE * TRIAL_BYTES
  );
}
