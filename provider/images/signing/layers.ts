import { annotationsIn, descriptorIn, listIn, type Descriptor } from "../registry/content";
import { findBlob } from "../registry/download";
import { getManifest } from "../registry/manifests";
import type { RegistryClient } from "../registry/client";

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
  if (manifest === undefined) return undefined;
  const read: ReadLayer[] = [];
  for (const layer of layersIn(manifest.bytes)) {
    const content = await findBlob(client, layer);
    if (content) read.push({ layer, content });
  }
  return read;
}

/** The layers of a manifest, with their annotations. */
export function layersIn(manifest: Buffer): Descriptor[] {
  return listIn(manifest, "layers").flatMap((each) => {
    const layer = descriptorIn(each);
    const annotations = annotationsIn(each);
    return layer && Object.keys(annotations).length > 0 ? { ...layer, annotations } : (layer ?? []);
  });
}
