import { lstat, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { digestFile } from "../files/listing";
import { copyInto } from "../files/writeFile";
import type { Blob } from "../registry/blobs";
import { digestOf } from "../registry/digest";
import { downloadBlob } from "../registry/download";
import type { RegistrySession } from "../registry/session";
import type { EarlierKit } from "./earlierKit";
import { blobFile } from "./ociLayout";

/** Follows the name of a blob of which not all is there. */
const ARRIVING = ".arriving";

/** A blob of a kit's images. */
export interface KitBlob extends Blob {
  /** The label of the kit that has it, when that is another one. */
  readonly inOther: string | undefined;
}

/** The blobs of a kit in the making: each once, whichever images have it, and each with its digest checked. */
export class BlobStore {
  readonly #folder: string;
  readonly #earlier: readonly string[];
  readonly #since: EarlierKit | undefined;
  readonly #signal: AbortSignal;
  /** Size by digest of those that belong to the images. */
  readonly #blobs = new Map<string, number>();
  /** Manifests and configurations. */
  readonly #small = new Set<string>();

  /**
   * @param folder where they are, and where a killed run may have left some
   * @param earlier folders of blobs of other kits, from which they are copied rather than fetched
   * @param since what it has, neither is fetched nor comes into this kit
   */
  constructor(
    folder: string,
    earlier: readonly string[],
    since: EarlierKit | undefined,
    signal: AbortSignal,
  ) {
    this.#folder = folder;
    this.#earlier = earlier;
    this.#since = since;
    this.#signal = signal;
  }

  /** All of the images, in the order of their digests. */
  get blobs(): readonly KitBlob[] {
    return [...this.#blobs]
      .map(([digest, size]) => ({ digest, size, inOther: this.#inOther(digest) }))
      .sort((one, other) => (one.digest < other.digest ? -1 : 1));
  }

  /** Only layers are left out: what an image consists of, a kit says alone, and skopeo wants to read it from there. */
  #inOther(digest: string): string | undefined {
    return this.#small.has(digest) ? undefined : this.#since?.has(digest);
  }

  /**
   * Sees that a layer is there, unless it is left out.
   *
   * @param moved is told how many bytes of it are there by now
   * @throws DestinationError; DeadlineExceededError; the signal's reason
   */
  async fetch(session: RegistrySession, layer: Blob, moved: (bytes: number) => void): Promise<void> {
    const { digest, size } = layer;
    if (!this.#blobs.has(digest) && this.#inOther(digest) === undefined) {
      const path = this.#pathOf(digest);
      if (!(await this.#isThere(path, layer)) && !(await this.#isElsewhere(layer))) {
        await downloadBlob(session, layer, path + ARRIVING, moved);
        await rename(path + ARRIVING, path);
      }
    }
    moved(size);
    this.#blobs.set(digest, size);
  }

  /** Adds a manifest or a configuration. */
  async put(bytes: Buffer): Promise<void> {
    const digest = digestOf(bytes);
    this.#small.add(digest);
    if (this.#blobs.has(digest)) return;
    await writeFile(this.#pathOf(digest), bytes);
    this.#blobs.set(digest, bytes.length);
  }

  /** Takes a file of the same disk, of which the digest is known. */
  async take(path: string, { digest, size }: Blob): Promise<void> {
    await rename(path, this.#pathOf(digest));
    this.#blobs.set(digest, size);
  }

  /** Moves the blobs to where the kit has them. Those that are left out, or belong to no image of it, are gone after that. */
  async moveTo(folder: string): Promise<void> {
    for (const { digest, inOther } of this.blobs) {
      if (inOther === undefined) await rename(this.#pathOf(digest), join(folder, blobFile(digest)));
    }
    for (const name of await readdir(this.#folder)) await rm(join(this.#folder, name));
  }

  async #isElsewhere(blob: Blob): Promise<boolean> {
    const path = this.#pathOf(blob.digest);
    for (const folder of this.#earlier) {
      const there = join(folder, blobFile(blob.digest));
      if (!(await isFileOf(there, blob.size))) continue;
      if (`sha256:${(await copyInto(there, path, this.#signal)).sha256}` === blob.digest) return true;
      await rm(path);
    }
    return false;
  }

  /** Whether these very bytes are there. What is there else, goes. */
  async #isThere(path: string, { digest, size }: Blob): Promise<boolean> {
    if (await isFileOf(path, size)) {
      if (`sha256:${(await digestFile(path, this.#signal)).sha256}` === digest) return true;
    }
    await rm(path, { recursive: true, force: true });
    return false;
  }

  #pathOf(digest: string): string {
    return join(this.#folder, blobFile(digest));
  }
}

async function isFileOf(path: string, size: number): Promise<boolean> {
  const seen = await lstat(path).catch(() => undefined);
  return seen?.isFile() === true && seen.size === size;
}
