import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { formatBytes } from "../../../base/runtime/messages/formatBytes";
import { hasBlob } from "../../images/registry/blobs";
import { readImage } from "../../images/registry/image";
import type { Layer } from "../../images/siteImage/layerTar";
import { isPrevious, type PreviousLayer, writePreviousLayer } from "../../images/siteImage/previousFiles";
import type { Copy } from "../destination";
import { downloadSite } from "./findImage";
import { findFileList, partsOf } from "./imageParts";
import { isThere, type RepositoryPlace } from "./repositoryPlace";

interface NewLayer {
  /** Identifies the content of the new copy. */
  readonly edition: string;
  readonly isInSite: (path: string) => boolean;
  readonly maxBytes: number;
}

/**
 * The layer with files of the version before, for a new copy. It contains files of one version only, those of the newest copy with
 * other content: the layer of that copy is not looked at, so that nothing accumulates. The same content again has the same layer, or
 * none if it had none.
 *
 * @param earlier the copies of this resource in the repository, newest first
 * @returns no layer if there is no earlier copy, or if it cannot be read: that is reported, and does not fail the publication
 * @throws the signal's reason
 */
export async function previousLayer(
  place: RepositoryPlace,
  earlier: readonly Copy[],
  site: NewLayer,
): Promise<PreviousLayer | (PreviousLayer & Layer) | undefined> {
  const { reporter, signal } = place.context;
  const [newest] = earlier;
  if (newest === undefined || site.maxBytes === 0) return undefined;
  const before = earlier.find(({ sha256 }) => sha256 !== site.edition);
  try {
    if (newest.sha256 === site.edition) {
      const known = partsOf(newest).previous;
      if (known === undefined || (await hasBlob(place.client, known.digest))) return known;
    }
    return before && (await madeFrom(place, before, site));
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    reporter.warn(
      `${(before ?? newest).uri} cannot be read, so the image has no files of the version before: pages that readers have open ` +
        `may miss a script. The copy is made. ${reason}`,
    );
    return undefined;
  }
}

async function madeFrom(
  place: RepositoryPlace,
  before: Copy,
  { isInSite, maxBytes }: NewLayer,
): Promise<(PreviousLayer & Layer) | undefined> {
  const { client, context } = place;
  const { reporter, signal } = context;
  const [digest] = partsOf(before).manifests;
  if (!(await isThere(place, digest))) {
    reporter.info(`${before.uri} is gone, so the image has no files of the version before`);
    return undefined;
  }
  const listed = await findFileList(place, before);
  if (listed?.keys().some((path) => isPrevious(path, isInSite)) === false) return undefined;
  const { images } = await readImage(client, { ...client.repository, digest });
  const downloaded = await downloadSite(place, images[0]);
  if (downloaded === undefined) return undefined;
  const scratch = join(await context.scratch(), "previous");
  await mkdir(scratch);
  const source = { ...downloaded, sha256: before.sha256 };
  const written = await writePreviousLayer(scratch, source, isInSite, maxBytes, signal);
  const { layer, paths, bytes, leftOut } = written;
  const tooMany =
    leftOut === 0 ? "" : `; ${leftOut} more are left out, because of \`destination.maxPreviousBytes\``;
  if (paths.size + leftOut > 0) {
    reporter.info(
      `the image also has ${paths.size} files of ${before.uri} (${formatBytes(bytes)}), for pages that readers have open${tooMany}`,
    );
  }
  return layer && { ...layer, of: before.sha256 };
}
