import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OCI_INDEX } from "../registry/mediaTypes";
import type { KitImage } from "./kitImage";

/** Where a kit has its images: an OCI image layout, see https://github.com/opencontainers/image-spec/blob/main/image-layout.md */
const IMAGES = "images";
/** Its blobs, named by the digits of their digests. */
export const BLOBS = "images/blobs/sha256";

/** The annotation of an index by which the tools know an image's name. */
const NAME_ANNOTATION = "org.opencontainers.image.ref.name";

/** The name of a blob's file. */
export function blobFile(digest: string): string {
  return digest.slice("sha256:".length);
}

/** Stands in a manifest for the kit that a blob is in, when that is the kit itself. */
export const THIS_KIT = "this";

/** Lays the images of a kit out in its folder, shared blobs once. */
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
