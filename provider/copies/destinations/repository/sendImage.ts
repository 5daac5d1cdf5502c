import { join } from "node:path";
import { rangesOfFile } from "../../../images/registry/blobs";
import { type Blob } from "../../../images/registry/content";
import { downloadBlob } from "../../../images/registry/download";
import { ensureBlob, ensureContent } from "../../../images/registry/ensureBlob";
import { type Manifest } from "../../../images/registry/manifests";
import type { RegistryClient } from "../../../images/registry/client";
import { transferProgress } from "../../../images/registry/transferProgress";
import type { Bundle } from "../../../site/inspection/bundle";
import type { DestinationContext } from "../destination";
import { type BaseImage } from "./baseImage";
import type { Layer } from "../../../images/siteImage/layerTar";
import { type PreviousLayer } from "../../../images/siteImage/previousFiles";
import {
  annotationsOf,
  EMPTY_BASE,
  imageOnBase,
  indexOf,
  type BuiltImage,
} from "../../../images/siteImage/siteImage";

/** The images for all platforms, and the manifest of a single one or the index of several. */
export function built(
  bundle: Bundle,
  base: BaseImage | undefined,
  layer: Layer,
  previous: PreviousLayer | undefined,
): { images: BuiltImage[]; top: Manifest } {
  const annotations = annotationsOf(bundle, base, previous);
  const bases = base?.images ?? [EMPTY_BASE];
  const images = bases.map((each) => imageOnBase(each, layer, annotations, previous));
  const [first] = images;
  return { images, top: base?.isIndex || !first ? indexOf(images, annotations) : first.manifest };
}

/**
 * Ensures that the repository has all blobs: those of the base, the site and the configurations.
 *
 * @param added the layers above the base. One without a file is in the repository already
 */
export async function sendBlobs(
  client: RegistryClient,
  base: BaseImage | undefined,
  added: readonly (Layer | PreviousLayer)[],
  images: readonly BuiltImage[],
  context: DestinationContext,
): Promise<void> {
  const ofBase = new Map(
    (base?.images ?? []).flatMap(({ layers }) => layers).map((each) => [each.digest, each]),
  );
  const progress = transferProgress(context, "uploading", [...ofBase.values(), ...added]);
  const ensure = async (blob: Blob, options: Parameters<typeof ensureBlob>[2]): Promise<void> => {
    const moved = (bytes: number): void => progress.moved(blob, bytes);
    if (!(await ensureBlob(client, blob, { ...options, moved }))) progress.found(blob);
  };
  const sameRegistry = base?.client.repository.host === client.repository.host;
  for (const blob of ofBase.values()) {
    const file = join(await context.scratch(), blob.digest.replace(":", "-"));
    await ensure(blob, {
      mountFrom: sameRegistry ? base.client.repository.path : undefined,
      source: async () => {
        if (base) await downloadBlob(base.client, blob, file);
        return rangesOfFile(file);
      },
    });
  }
  for (const layer of added) {
    if ("path" in layer) await ensure(layer, { source: () => rangesOfFile(layer.path) });
    else progress.found(layer);
  }
  for (const { config } of images) await ensureContent(client, config);
}
