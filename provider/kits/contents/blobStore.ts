import { lstat, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { digestFile } from "../../base/runtime/files/listing";
import { copyInto } from "../../base/runtime/files/writeFile";
import { digestOf, sha256In } from "../../base/runtime/values/digest";
import { compareTexts } from "../../base/runtime/values/textOrder";
import {
  type Blob,
  downloadBlob,
  indexOf,
  type Manifest,
  type RegistryClient,
  type StoredImage,
} from "../../publishing/index";
import type { EarlierKit } from "./earlierKit";

/** Suffix of a blob that is not complete yet. */
const ARRIVING = ".arriving";

/** A blob of a kit's images. */
export interface KitBlob extends Blob {
  /** The label of the kit that contains the blob, if it is an earlier kit. */
  readonly inEarlierKit: string | undefined;
}

/** Where a kit's blobs are. */
interface BlobPlaces {
  /** For the blobs; it may contain blobs of a killed run. */
  readonly folder: string;
  /** Folders with blobs of other kits, from which blobs are copied instead of fetched. */
  readonly earlier: readonly string[];
  /** An earlier kit whose blobs are neither fetched nor added to this kit. */
  readonly since?: EarlierKit | undefined;
  readonly signal: AbortSignal;
}

/** The blobs of a kit that is being written: each once, even if several images share it, and each with a verified digest. */
export class BlobStore {
  readonly #places: BlobPlaces;
  /** The blobs that the images use, by digest. */
  readonly #blobs = new Map<string, KitBlob>();

  constructor(places: BlobPlaces) {
    this.#places = places;
  }

  /** The blobs of all images, in the order of their digests. */
  get blobs(): readonly KitBlob[] {
    return [...this.#blobs.values()].sort((one, other) => compareTexts(one.digest, other.digest));
  }

  /**
   * Ensures that the store has a layer, unless it is left out.
   *
   * @param moved gets the number of bytes that have arrived
   * @throws DestinationError; DeadlineExceededError; the signal's reason
   */
  async fetch(client: RegistryClient, layer: Blob, moved: (bytes: number) => void): Promise<void> {
    const { digest, size } = layer;
    if (!this.#blobs.has(digest) && this.#addLayer(layer)) {
      const path = this.#pathOf(digest);
      if (!(await this.#isThere(path, layer)) && !(await this.#isElsewhere(layer))) {
        await downloadBlob(client, layer, path + ARRIVING, moved);
        await rename(path + ARRIVING, path);
      }
    }
    moved(size);
  }

  /**
   * Adds the configurations and manifests of an image for some platforms.
   *
   * @returns what its name refers to: for one platform its manifest, for several an index of their manifests
   */
  async putImage(
    images: readonly (Pick<StoredImage, "platform" | "manifest"> & { readonly configBytes: Buffer })[],
    annotations?: Readonly<Record<string, string>>,
  ): Promise<Manifest> {
    const [only] = images;
    const top = only && images.length === 1 ? only.manifest : indexOf(images, annotations);
    for (const { configBytes, manifest } of images) {
      await this.put(configBytes);
      await this.put(manifest.bytes);
    }
    await this.put(top.bytes);
    return top;
  }

  /** Adds a manifest or a configuration. */
  async put(bytes: Buffer): Promise<void> {
    const digest = digestOf(bytes);
    if (this.#blobs.has(digest)) return;
    await writeFile(this.#pathOf(digest), bytes);
    this.#blobs.set(digest, { digest, size: bytes.length, inEarlierKit: undefined });
  }

  /** Moves a layer with a known digest into the store. It must be on the same disk. */
  async take(path: string, layer: Blob): Promise<void> {
    await rename(path, this.#pathOf(layer.digest));
    this.#addLayer(layer);
  }

  /**
   * Only layers are left out: a kit contains all its manifests and configurations, and skopeo requires them there.
   *
   * @returns whether this kit contains it
   */
  #addLayer({ digest, size }: Blob): boolean {
    const inEarlierKit = this.#places.since?.has(digest);
    this.#blobs.set(digest, { digest, size, inEarlierKit });
    return inEarlierKit === undefined;
  }

  /** Moves the blobs into the kit. Removes all other files, including those of no image of the kit. */
  async moveTo(folder: string): Promise<void> {
    for (const { digest, inEarlierKit } of this.blobs) {
      if (inEarlierKit === undefined) await rename(this.#pathOf(digest), join(folder, sha256In(digest)));
    }
    const left = await readdir(this.#places.folder);
    for (const name of left) await rm(join(this.#places.folder, name));
  }

  async #isElsewhere(blob: Blob): Promise<boolean> {
    const path = this.#pathOf(blob.digest);
    for (const folder of this.#places.earlier) {
      const there = join(folder, sha256In(blob.digest));
      if (!(await isFileOf(there, blob.size))) continue;
      if (`sha256:${(await copyInto(there, path, this.#places.signal)).sha256}` === blob.digest) return true;
      await rm(path);
    }
    return false;
  }

  /** Whether the file has exactly these bytes. Anything else at the path is removed. */
  async #isThere(path: string, { digest, size }: Blob): Promise<boolean> {
    if (await isFileOf(path, size)) {
      if (`sha256:${(await digestFile(path, this.#places.signal)).sha256}` === digest) return true;
    }
    await rm(path, { recursive: true, force: true });
    return false;
  }

  #pathOf(digest: string): string {
    return join(this.#places.folder, sha256In(digest));
  }
}

async function isFileOf(path: string, size: number): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() === true && stats.size === size;
}
