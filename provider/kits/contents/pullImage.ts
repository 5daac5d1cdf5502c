import { inParallel } from "../../runtime/concurrency/inParallel";
import { readImage, type StoredImage } from "../../images/registry/image";
import type { Manifest } from "../../images/registry/manifests";
import { parseBase, repositoryName } from "../../images/registry/reference";
import type { RegistryContext } from "../../images/registry/exchange";
import { RegistryClient } from "../../images/registry/client";
import { transferProgress } from "../../images/registry/transferProgress";
import { indexOf } from "../../images/siteImage/siteImage";
import { DestinationError } from "../../runtime/messages/errors";
import type { BlobStore } from "./blobStore";
import { nameInKit } from "./imageName";
import type { PulledImage } from "./kitImage";
import { isWanted, platformText } from "./platform";

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
  const top = topOf(images);
  // several platforms may share layers
  const layers = [
    ...new Map(images.flatMap((image) => image.layers).map((layer) => [layer.digest, layer])).values(),
  ];
  const progress = transferProgress(context, `pulling ${reference}`, layers);
  await inParallel(layers, CONCURRENCY, (layer) =>
    store.fetch(client, layer, (bytes) => progress.moved(layer, bytes)),
  );
  for (const { configBytes, manifest } of images) {
    await store.put(configBytes);
    await store.put(manifest.bytes);
  }
  await store.put(top.bytes);
  const name = `${repositoryName(parsed)}${parsed.tag === undefined ? "" : `:${parsed.tag}`}`;
  return {
    name: nameInKit(reference),
    isSite: false,
    top,
    platforms: images.map((image) => platformText(image.platform)),
    base: { name, digest: found.digest },
    images,
  };
}

function topOf(images: readonly StoredImage[]): Manifest {
  const [first, ...others] = images;
  if (first && others.length === 0) return first.manifest;
  return indexOf(images);
}
