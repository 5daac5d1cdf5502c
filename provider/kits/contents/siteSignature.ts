import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256In } from "../../base/runtime/values/digest";
import { compareTexts } from "../../base/runtime/values/textOrder";
import { OciLayout, type Origin, type SignedImage, type Signer } from "../../publishing/index";
import type { KitBlob } from "./blobStore";
import { repositoryInKit } from "./chartValues";
import { BLOBS, IMAGES } from "./imagesFolder";
import type { KitImage } from "./kitImage";

/**
 * Signs the site's image as the image of a copy is signed. `load.sh` puts the signature beside the image: a cluster that admits only
 * signed images then runs it. The signature names the repository as the kit does, because the target is not known yet.
 *
 * @param existing folder of a kit with the same content: what the key signed there is not signed again
 */
export function signSite(
  site: KitImage,
  origin: Origin,
  signer: Signer,
  existing: string,
): Promise<SignedImage> {
  const [repository = ""] = site.name.split(":");
  const image = { name: repositoryInKit(site.name), manifest: site.top };
  return new OciLayout(join(existing, IMAGES)).sign(image, origin, signer, (tag) => `${repository}:${tag}`);
}

/** Writes them into a kit. @returns the blobs that it has then, in the order of their digests */
export async function writeArtifacts(
  kit: string,
  contents: ReadonlyMap<string, Buffer>,
  blobs: readonly KitBlob[],
): Promise<KitBlob[]> {
  const all = new Map(blobs.map((blob) => [blob.digest, blob]));
  for (const [digest, bytes] of contents) {
    await writeFile(join(kit, BLOBS, sha256In(digest)), bytes);
    all.set(digest, { digest, size: bytes.length, inEarlierKit: undefined });
  }
  return [...all.values()].sort((one, other) => compareTexts(one.digest, other.digest));
}
