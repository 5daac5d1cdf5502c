import { join } from "node:path";
import { inParallel } from "../../base/runtime/concurrency/inParallel";
import { DestinationError } from "../../base/runtime/messages/errors";
import {
  type AdditionFacts,
  annotationsOf,
  type Bundle,
  editionOf,
  imageOnBase,
  LayerWriter,
  parseBase,
  readImage,
  RegistryClient,
  type RegistryContext,
  repositoryName,
  type SiteLimits,
  transferProgress,
  type Unpacking,
  unpackSite,
  type WantedAdditions,
  wantedIn,
} from "../../publishing/index";
import { BlobStore, type KitBlob } from "./blobStore";
import type { KitDraft } from "./draft";
import type { EarlierKit } from "./earlierKit";
import { BLOBS, writeLayout } from "./imagesFolder";
import { isWanted, type KitImage, nameInKit, platformText, siteName } from "./kitImage";

/** An inspected bundle, with what `inspectBundle` found. */
export type KitBundle = Bundle & Omit<Unpacking, "signal">;

/** The images of a kit. */
export interface ImagesRequest {
  readonly bundle: KitBundle;
  /** What to add to the site's image. @default nothing */
  readonly additions?: WantedAdditions | undefined;
  readonly limits: SiteLimits;
  /** Names of images: the site's own image is built on the first one. */
  readonly images: readonly string[];
  readonly platforms: readonly string[];
  readonly since?: EarlierKit | undefined;
  /** Folders of local kits from which blobs may be copied. */
  readonly earlier: readonly string[];
}

/** How many layers are fetched concurrently: as many as docker does. */
const CONCURRENCY = 3;

/**
 * Pulls the images, builds the site's own image, and writes the OCI layout. The site's image is the base image for each of its
 * platforms, with the site as its top layer.
 *
 * @throws BundleRefusedError; DestinationError; DeadlineExceededError; the signal's reason
 */
export async function writeImages(
  draft: KitDraft,
  { bundle, limits, additions, images: references, platforms, since, earlier }: ImagesRequest,
  context: RegistryContext,
): Promise<{ images: readonly KitImage[]; blobs: readonly KitBlob[]; facts?: AdditionFacts | undefined }> {
  const { reporter, signal } = context;
  const known = earlier.map((kit) => join(kit, BLOBS));
  const store = new BlobStore({ folder: draft.blobs, earlier: known, since, signal });
  const pulled = await Array.fromAsync(references, (each) => pullImage(each, platforms, store, context));
  const [base] = pulled;
  const [first] = base?.images ?? [];
  if (!base || !first) return { images: [], blobs: [] };

  reporter.progress("building the site's image");
  const writer = new LayerWriter(draft.scratch, first, editionOf(bundle.sha256, additions));
  const facts = await unpackSite(bundle, limits, writer, { ...bundle, signal }, additions);
  const layer = await writer.end(signal);
  await store.take(layer.path, layer);
  const annotations = annotationsOf(bundle, base.base);
  const built = base.images.map((image) => imageOnBase(image, layer, annotations));
  const stored = built.map((image) => ({ ...image, configBytes: image.config.bytes }));
  const top = await store.putImage(stored, annotations);
  const site = { name: siteName(bundle.version), isSite: true, top, platforms: base.platforms };

  const images = [...pulled, site];
  const { blobs } = store;
  await writeLayout(draft.kit, images, store);
  return { images, blobs, facts: wantedIn(additions).length === 0 ? undefined : facts };
}

/**
 * Pulls an image for some platforms. For one platform, the result is its manifest, byte for byte; for several, an index of
 * their manifests.
 *
 * @param reference as the user writes it
 * @throws DestinationError when a platform has no image; DeadlineExceededError; the signal's reason
 */
async function pullImage(
  reference: string,
  platforms: readonly string[],
  store: BlobStore,
  context: RegistryContext,
) {
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
  const layers = new Map(images.flatMap((image) => image.layers).map((layer) => [layer.digest, layer]));
  const progress = transferProgress(context, `pulling ${reference}`, [...layers.values()]);
  await inParallel(layers.values(), CONCURRENCY, (layer) =>
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
