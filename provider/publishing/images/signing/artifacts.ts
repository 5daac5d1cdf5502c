import type { RegistryClient } from "../registry/client";
import { annotationsIn, type Content, type Descriptor, descriptorIn, listIn } from "../registry/content";
import { findBlob } from "../registry/download";
import { getManifest, type Manifest } from "../registry/manifests";
import { type ReferrerEntry, referrersTag } from "../registry/referrers";

/**
 * The tag under which cosign finds an image's signatures, see
 * https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md. Versions 2 and 3 of cosign, Flux and admission controllers
 * read such tags. A registry needs only tags for them.
 *
 * @param digest of the image
 */
export const signatureTag = (digest: string): string => `${referrersTag(digest)}.sig`;
/** The tag of an image's attestations. @param digest of the image */
export const attestationTag = (digest: string): string => `${referrersTag(digest)}.att`;

/** The media type of a payload that an image's signature signs. */
export const SIMPLE_SIGNING = "application/vnd.dev.cosign.simplesigning.v1+json";
/** The annotation of a layer with the signature of the layer's content, in base64. Empty for an attestation, which contains it. */
export const SIGNATURE_ANNOTATION = "dev.cosignproject.cosign/signature";

/** A signature or an attestation of an image, ready to be stored. */
export interface Artifact {
  readonly manifest: Manifest;
  /** Content that the registry may not have yet. */
  readonly blobs: readonly Content[];
  /** The tag under which cosign finds it. */
  readonly tag?: string;
  /** Its entry in a list of referrers, if it refers to the image. */
  readonly referrer?: ReferrerEntry;
}

/** A layer of a signature or an attestation, with its content. */
export interface ReadLayer {
  readonly layer: Descriptor;
  readonly content: Buffer;
}

/**
 * Reads the signatures or attestations of an image. Layers that the registry does not have, or has with other bytes, are left out.
 *
 * @param tag see `signatureTag` and `attestationTag`
 * @returns undefined when the tag does not exist
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function readLayers(client: RegistryClient, tag: string): Promise<ReadLayer[] | undefined> {
  const manifest = await getManifest(client, tag);
  return manifest && readLayersOf(manifest.bytes, (layer) => findBlob(client, layer));
}

/** Reads the layers of a manifest, with their annotations. @param find returns undefined for a layer that is left out */
export async function readLayersOf(
  manifest: Buffer,
  find: (layer: Descriptor) => Promise<Buffer | undefined>,
): Promise<ReadLayer[]> {
  const read: ReadLayer[] = [];
  for (const each of listIn(manifest, "layers")) {
    const layer = descriptorIn(each);
    const content = layer && (await find(layer));
    const annotations = annotationsIn(each);
    const isAnnotated = Object.keys(annotations).length > 0;
    if (content) read.push({ layer: { ...layer, ...(isAnnotated && { annotations }) }, content });
  }
  return read;
}
