import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { digestOf, sha256In } from "../../../base/runtime/values/digest";
import { imageStatements } from "../provenance/imageStatements";
import type { Origin } from "../provenance/origin";
import { annotationsIn, describe, descriptorIn, listIn } from "../registry/content";
import type { Manifest } from "../registry/manifests";
import { OCI_INDEX } from "../registry/mediaTypes";
import {
  type Artifact,
  attestationTag,
  type ReadLayer,
  readLayersOf,
  signatureTag,
} from "../signing/artifacts";
import { opened } from "../signing/envelope";
import { isSignatureOf } from "../signing/imageSignature";
import { makeArtifacts } from "../signing/makeArtifacts";
import type { Signer } from "../signing/signer";
import { siteRoot } from "../siteImage/layer";
import { filesIn } from "../siteImage/previousFiles";

/** The annotation of an index that contains an image's name. */
const NAME_ANNOTATION = "org.opencontainers.image.ref.name";

/** An image in a layout. */
interface LayoutImage {
  readonly name: string;
  /** What its name refers to: a manifest, or an index of manifests. */
  readonly top: Manifest;
}

/** The signature of an image in a layout, or a signed document about it. */
export interface LayoutArtifact extends Artifact {
  /** The digest of the image. */
  readonly subject: string;
  /** Its name in the layout, if it has one. */
  readonly name?: string;
}

/** What a key signed about an image. */
export interface SignedImage {
  readonly artifacts: readonly LayoutArtifact[];
  /** All content of the artifacts, by digest. */
  readonly contents: ReadonlyMap<string, Buffer>;
}

/**
 * Images in a folder, each blob once, see https://github.com/opencontainers/image-spec/blob/main/image-layout.md. A layout that is read may
 * be missing or damaged: then nothing is found in it.
 */
export class OciLayout {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Writes the list of what the layout contains: images by their names, and what belongs to an image as its referrers. */
  async writeIndex(
    images: readonly LayoutImage[],
    artifacts: readonly Pick<LayoutArtifact, "manifest" | "referrer" | "name">[],
  ): Promise<void> {
    const named = (name: string | undefined) => (name === undefined ? {} : { [NAME_ANNOTATION]: name });
    const manifests = [
      ...images.map(({ name, top }) => ({ ...describe(top), annotations: named(name) })),
      ...artifacts.map(({ name, manifest, referrer }) => ({
        ...describe(manifest),
        ...referrer,
        annotations: { ...referrer?.annotations, ...named(name) },
      })),
    ];
    const index = { schemaVersion: 2, mediaType: OCI_INDEX, manifests };
    await writeFile(join(this.#folder, "index.json"), `${JSON.stringify(index, undefined, 2)}\n`);
    await writeFile(join(this.#folder, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}\n');
  }

  /**
   * Signs an image and the documents about it. What the key signed in this layout is not signed again: the same content gives the same
   * digests. Nothing of others, and nothing damaged, is taken over. Writes nothing.
   *
   * @param image with the name that the signature contains
   * @param nameOf the name of an artifact in a layout, by its tag
   */
  async sign(
    image: { readonly name: string; readonly manifest: Manifest },
    origin: Origin,
    signer: Signer,
    nameOf: (tag: string) => string,
  ): Promise<SignedImage> {
    const { digest } = image.manifest;
    const kept = await this.#signedBy(digest, nameOf, signer);
    const statements = imageStatements(image.name, digest, origin);
    const artifacts = makeArtifacts(image, statements, signer, kept).map((each) => ({
      ...each,
      subject: digest,
      ...(each.tag !== undefined && { name: nameOf(each.tag) }),
    }));
    const contents = new Map<string, Buffer>();
    for (const { layer, content } of [...kept.signatures, ...kept.attestations]) {
      contents.set(layer.digest, content);
    }
    for (const { manifest, blobs } of artifacts) {
      for (const each of [manifest, ...blobs]) contents.set(each.digest, each.bytes);
    }
    return { artifacts, contents };
  }

  /**
   * Reads some files of the site in an image with a `base`. Of a kit that is split, or that leaves out the layers of an earlier one, the
   * layer may be missing.
   *
   * @param name of the image
   * @param wanted which files are read, by their paths below the site's root, and who takes them
   * @throws the error of the file system; BundleRefusedError for a damaged layer; the signal's reason
   */
  async readSite(
    name: string,
    wanted: {
      readonly isWanted: (path: string) => boolean;
      readonly take: (path: string, bytes: Buffer) => Promise<void>;
    },
    signal: AbortSignal,
  ): Promise<void> {
    const top = await this.#named(name);
    // an index for several platforms: the site is the same layer in all
    const [first] = listIn(top, "manifests");
    const image = first === undefined ? top : await this.#blob(descriptorIn(first)?.digest);
    const layer = descriptorIn(listIn(image, "layers").at(-1));
    if (layer === undefined) return;
    const path = join(this.#folder, "blobs", "sha256", sha256In(layer.digest));
    for await (const file of filesIn({ path, root: siteRoot(true) }, signal)) {
      if (wanted.isWanted(file.path)) {
        await wanted.take(file.path, Buffer.concat(await Array.fromAsync(file.content)));
      }
    }
  }

  /** One signature by the key, and the documents. */
  async #signedBy(digest: string, nameOf: (tag: string) => string, signer: Signer) {
    const signatures = await this.#layersOf(nameOf(signatureTag(digest)));
    const attestations = await this.#layersOf(nameOf(attestationTag(digest)));
    return {
      signatures: signatures.filter((each) => isSignatureOf(digest, each, signer)).slice(0, 1),
      attestations: attestations.filter(({ content }) => opened(content, signer) !== undefined),
    };
  }

  async #layersOf(name: string): Promise<ReadLayer[]> {
    const manifest = await this.#named(name);
    return manifest ? readLayersOf(manifest, ({ digest }) => this.#blob(digest)) : [];
  }

  /** The manifest that a name refers to. */
  async #named(name: string): Promise<Buffer | undefined> {
    const manifests = listIn(await this.#bytesAt("index.json"), "manifests");
    const entry = manifests.find((each) => annotationsIn(each)[NAME_ANNOTATION] === name);
    return this.#blob(descriptorIn(entry)?.digest);
  }

  async #blob(digest: string | undefined): Promise<Buffer | undefined> {
    if (digest === undefined) return undefined;
    const bytes = await this.#bytesAt("blobs", "sha256", sha256In(digest));
    return bytes && digestOf(bytes) === digest ? bytes : undefined;
  }

  #bytesAt(...path: string[]): Promise<Buffer | undefined> {
    return readFile(join(this.#folder, ...path)).catch(() => undefined);
  }
}
