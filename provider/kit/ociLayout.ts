import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OCI_INDEX } from "../registry/mediaTypes";
import type { BlobStore } from "./blobStore";
import type { KitImage } from "./kitImage";
import { BLOBS, IMAGES, NAME_ANNOTATION } from "./layoutFiles";

/** Lays the images of a kit out in its folder, shared blobs once. */
export async function writeLayout(kit: string, images: readonly KitImage[], store: BlobStore): Promise<void> {
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
