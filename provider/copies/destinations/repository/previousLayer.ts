import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { formatBytes } from "../../../runtime/messages/formatBytes";
import { hasBlob } from "../../../images/registry/blobs";
import { fieldsOf } from "../../../images/registry/content";
import { readImage } from "../../../images/registry/image";
import { findManifest } from "../../../images/registry/manifests";
import { isDigest } from "../../../images/registry/reference";
import type { RegistryClient } from "../../../images/registry/client";
import type { Layer } from "../../../images/siteImage/layerTar";
import { isPrevious, writePreviousLayer, type PreviousLayer } from "../../../images/siteImage/previousFiles";
import type { Copy, DestinationContext } from "../destination";
import { findFileList } from "./fileList";
import { downloadSite } from "./findImage";

interface Place {
  readonly client: RegistryClient;
  readonly context: DestinationContext;
}

interface NewSite {
  /** Identifies the content of the new copy. */
  readonly edition: string;
  /** The copies of this resource in the repository, newest first. */
  readonly earlier: readonly Copy[];
  readonly isInSite: (path: string) => boolean;
  readonly maxBytes: number;
}

/**
 * The layer with files of the version before, for a new copy. It contains files of one version only, those of the newest copy with
 * other content: the layer of that copy is not looked at, so that nothing accumulates. The same content again has the same layer, or
 * none if it had none.
 *
 * @returns no layer if there is no earlier copy, or if it cannot be read: that is reported, and does not fail the publication
 * @throws the signal's reason
 */
export async function previousLayer(
  { client, context }: Place,
  { edition, earlier, isInSite, maxBytes }: NewSite,
): Promise<PreviousLayer | (PreviousLayer & Layer) | undefined> {
  const { reporter, signal } = context;
  const [newest] = earlier;
  if (newest === undefined || maxBytes === 0) return undefined;
  const before = earlier.find(({ sha256 }) => sha256 !== edition);
  try {
    if (newest.sha256 === edition) {
      const known = previousIn(newest);
      if (known === undefined || (await hasBlob(client, known.digest))) return known;
    }
    return before && (await madeFrom({ client, context }, before, isInSite, maxBytes));
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
  { client, context }: Place,
  before: Copy,
  isInSite: (path: string) => boolean,
  maxBytes: number,
): Promise<(PreviousLayer & Layer) | undefined> {
  const { reporter, signal } = context;
  const [, image = ""] = before.uri.split("@");
  if ((await findManifest(client, image)) === undefined) {
    reporter.info(`${before.uri} is gone, so the image has no files of the version before`);
    return undefined;
  }
  const listed = await findFileList(client, before);
  if (listed?.keys().some((path) => isPrevious(path, isInSite)) === false) return undefined;
  const {
    images: [first],
  } = await readImage(client, { ...client.repository, digest: image });
  const site = first && (await downloadSite(client, first, context));
  if (site === undefined) return undefined;
  const scratch = join(await context.scratch(), "previous");
  await mkdir(scratch);
  const source = { ...site, sha256: before.sha256 };
  const { layer, paths, bytes, leftOut } = await writePreviousLayer(
    scratch,
    source,
    isInSite,
    maxBytes,
    signal,
  );
  const tooMany =
    leftOut === 0 ? "" : `; ${leftOut} more are left out, because of \`destination.maxPreviousBytes\``;
  if (paths.size + leftOut > 0) {
    reporter.info(
      `the image also has ${paths.size} files of ${before.uri} (${formatBytes(bytes)}), for pages that readers have open${tooMany}`,
    );
  }
  return layer && { ...layer, of: before.sha256 };
}

/** What the state stores of the layer. */
export function recorded({ digest, size, diffId, of }: PreviousLayer): PreviousLayer {
  return { digest, size, diffId, of };
}

/** The layer that the state has of a copy. */
function previousIn({ parts }: Copy): PreviousLayer | undefined {
  const { digest, size, diffId, of } = fieldsOf(parts["previous"]);
  if (!isDigest(digest) || !isDigest(diffId) || typeof of !== "string") return undefined;
  return Number.isSafeInteger(size) ? { digest, size: size as number, diffId, of } : undefined;
}
