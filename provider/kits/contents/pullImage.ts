import { inParallel } from "../../runtime/concurrency/inParallel";
import { readImage } from "../../images/registry/image";
import { parseBase, repositoryName } from "../../images/registry/reference";
import type { RegistryContext } from "../../images/registry/exchange";
import { RegistryClient } from "../../images/registry/client";
import { TransferProgress } from "../../images/registry/transferProgress";
import { DestinationError } from "../../runtime/messages/errors";
import type { BlobStore } from "./blobStore";
import { isWanted, nameInKit, platformText, type PulledImage } from "./kitImage";

/** How many layers are fetched concurrently: as many as docker does. */
const CONCURRENCY = 3;

/**
 * Pulls an image for some platforms. For one platform, the result is its manifest, byte for byte; for several, an index of
 * their manifests.
 *
 * @param reference as the user writes it
 * @throws DestinationError when a platform has no image; DeadlineExceededError; the signal's reason
 */
export async function pullImage(
  reference: string,
  platforms: readonly string[],
  store: BlobStore,
  context: RegistryContext,
): Promise<PulledImage> {
  const parsed = parseBase(reference);
  const client = new RegistryClient(parsed, context, { actions: "pull" });
  context.reporter.progress(`pulling ${reference}`);
  const found = await readImage(client, parsed, (platform) => isWanted(platforms, platform));
  const images = found.images.filter((image) => isWanted(platforms, image.platform));
  const missing = platforms.find((platform) => !images.some((image) => isWanted([platform], image.platform)));
  if (missing !== undefined) {
    throw new DestinationError(
      `${reference} has no image for ${missing}`,
      "Remove that platform from `platforms`, or name another image.",
    );
  }
  // several platforms may share layers
  const layers = [
    ...new Map(images.flatMap((image) => image.layers).map((layer) => [layer.digest, layer])).values(),
  ];
  const progress = new TransferProgress(context, `pulling ${reference}`, layers);
  await inParallel(layers, CONCURRENCY, (layer) =>
    store.fetch(client, layer, (bytes) => progress.moved(layer, bytes)),
  );
  const name = `${repositoryName(parsed)}${parsed.tag === undefined ? "" : `:${parsed.tag}`}`;
  return {
    name: nameInKit(reference),
    isSite: false,
    top: await store.putImage(images),
    platforms: images.map((image) => platformText(image.platform)),
    base: { name, digest: found.digest },
    images,
  };
}
