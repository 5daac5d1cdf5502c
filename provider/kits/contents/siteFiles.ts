import {
  annotationsIn,
  descriptorIn,
  fieldsOf,
  filesIn,
  listIn,
  sha256In,
  siteRoot,
  type WantedFiles,
} from "../../publishing/index";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { siteName } from "./kitImage";
import { BLOBS, INDEX, NAME_ANNOTATION } from "./ociLayout";

/**
 * Reads some files of the site in the image of a kit. A kit that is split, or that leaves out the layers of an earlier one, may not have
 * them.
 *
 * @param version of the content
 * @throws the error of the file system; BundleRefusedError for a damaged layer; the signal's reason
 */
export async function readSiteFiles(
  kit: string,
  version: string,
  { isWanted, take }: WantedFiles,
  signal: AbortSignal,
): Promise<void> {
  const index = await readFile(join(kit, INDEX));
  const named = (each: unknown): boolean => annotationsIn(each)[NAME_ANNOTATION] === siteName(version);
  const top = await manifestIn(kit, listIn(index, "manifests").find(named));
  // an index for several platforms: the site is the same layer in all
  const [first] = listIn(top, "manifests");
  const image = first === undefined ? top : await manifestIn(kit, first);
  const layer = descriptorIn(listIn(image, "layers").at(-1));
  if (layer === undefined) return;
  const path = join(kit, BLOBS, sha256In(layer.digest));
  for await (const file of filesIn({ path, root: siteRoot(true) }, signal)) {
    if (isWanted(file.path)) await take(file.path, Buffer.concat(await Array.fromAsync(file.content)));
  }
}

async function manifestIn(kit: string, entry: unknown): Promise<unknown> {
  const descriptor = descriptorIn(entry);
  return descriptor && fieldsOf(await readFile(join(kit, BLOBS, sha256In(descriptor.digest))));
}
