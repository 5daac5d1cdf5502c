import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { OciLayout } from "../../publishing/index";
import type { KitImage } from "./kitImage";

/**
 * The folder of a kit's images: an OCI image layout, see https://github.com/opencontainers/image-spec/blob/main/image-layout.md
 */
export const IMAGES = "images";
/** The list of what it contains. */
export const INDEX = "images/index.json";
/** The folder of its blobs, which are named by the digits of their digests. */
export const BLOBS = "images/blobs/sha256";

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
  await new OciLayout(join(kit, IMAGES)).writeIndex(images, []);
}
