import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OCI_INDEX } from "../registry/mediaTypes";
import type { KitImage } from "./kitImage";

/**
 * The folder of a kit's images: an OCI image layout, see https://github.com/opencontainers/image-spec/blob/main/image-layout.md
 */
const IMAGES = "images";
/** The folder of its blobs, which are named by the digits of their digests. */
export const BLOBS = "images/blobs/sha256";

/** The annotation of an index that contains an image's name. */
const NAME_ANNOTATION = "org.opencontainers.image.ref.name";

/** The name of a blob's file. */
export function blobFile(digest: string): string {
  return digest.slice("sha256:".length);
}

/** The value in a manifest that marks a blob as part of this kit. */
export const THIS_KIT = "this";

/** Writes a kit's images as an OCI image layout; shared blobs are stored once. */
export async function writeLayout(
  kit: string,
  images: readonly KitImage[],
  store: { moveTo(folder: string): Promise<void> },
): Promise<void> {
  await mkdir(join(kit, BLOBS), { recursive: true });
  await store.moveTo(join(kit, BLOBS));
  const manifests = images.map(({ name, top }) => ({
    mediaType: top.mediaType,
    digest: top.digest,
    size: top.bytes.length,
    annotations: { [NAME_ANNOTATION]: name },
  }));
  const index = { schemaVersion: 2, mediaType: OCI_INDEX, manifests };
  await writeFile(join(kit, IMAGES, "index.json"), `${JSON.stringify(index, undefined, 2)}\n`);
  await writeFile(join(kit, IMAGES, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}\n');
}
