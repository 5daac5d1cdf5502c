import { type Artifact, describe, OCI_INDEX } from "../../publishing/index";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KitImage } from "./kitImage";

/**
 * The folder of a kit's images: an OCI image layout, see https://github.com/opencontainers/image-spec/blob/main/image-layout.md
 */
const IMAGES = "images";
/** The list of what it contains. */
export const INDEX = "images/index.json";
/** The folder of its blobs, which are named by the digits of their digests. */
export const BLOBS = "images/blobs/sha256";

/** The annotation of an index that contains an image's name. */
export const NAME_ANNOTATION = "org.opencontainers.image.ref.name";

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
  await writeIndex(kit, images, []);
  await writeFile(join(kit, IMAGES, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}\n');
}

/**
 * Writes the list of what the layout contains: images by their names, and what belongs to an image as its referrers.
 *
 * @param artifacts with their name in the layout, if they have one
 */
export async function writeIndex(
  kit: string,
  images: readonly KitImage[],
  artifacts: readonly (Pick<Artifact, "manifest" | "referrer"> & { readonly name?: string | undefined })[],
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
  await writeFile(join(kit, INDEX), `${JSON.stringify(index, undefined, 2)}\n`);
}
