import { filesIn, OciLayout, siteRoot, type WantedFiles } from "../../publishing/index";
import { join } from "node:path";
import { siteName } from "./kitImage";
import { IMAGES } from "./ociLayout";

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
  const path = await new OciLayout(join(kit, IMAGES)).lastLayerOf(siteName(version));
  if (path === undefined) return;
  for await (const file of filesIn({ path, root: siteRoot(true) }, signal)) {
    if (isWanted(file.path)) await take(file.path, Buffer.concat(await Array.fromAsync(file.content)));
  }
}
