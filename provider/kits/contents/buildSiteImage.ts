import type { Bundle, Unpacking } from "../../site/inspection/bundle";
import type { SiteLimits } from "../../site/archive/site";
import {
  editionOf,
  unpackSite,
  type SearchFacts,
  type WantedSearch,
} from "../../site/offlineSearch/unpackSite";
import { LayerWriter } from "../../images/siteImage/layer";
import { annotationsOf, imageOnBase, indexOf } from "../../images/siteImage/siteImage";
import type { BlobStore } from "./blobStore";
import { siteName } from "./imageName";
import type { KitImage, PulledImage } from "./kitImage";

/** An inspected bundle, with what `inspectBundle` found. */
export type KitBundle = Bundle & Omit<Unpacking, "signal">;

/**
 * Builds the site's own image: the base image for each of its platforms, with the site as its top layer.
 *
 * @param scratch an empty folder on the same disk as the store
 * @throws BundleRefusedError; the signal's reason
 */
export async function buildSiteImage(
  bundle: KitBundle,
  base: PulledImage,
  store: BlobStore,
  { limits, scratch, signal }: { limits: SiteLimits; scratch: string; signal: AbortSignal },
  search?: WantedSearch,
): Promise<{ image: KitImage; search: SearchFacts }> {
  const [first] = base.images;
  if (first === undefined) throw new Error("an image is pulled for one platform at least");
  const writer = new LayerWriter(scratch, first, editionOf(bundle.sha256, search?.options));
  const facts = await unpackSite(bundle, limits, writer, { ...bundle, signal }, search);
  const layer = await writer.end(signal);
  await store.take(layer.path, layer);
  const annotations = annotationsOf(bundle, base.base);
  const images = base.images.map((image) => imageOnBase(image, layer, annotations));
  const [only] = images;
  const top = only && images.length === 1 ? only.manifest : indexOf(images, annotations);
  for (const { config, manifest } of images) {
    await store.put(config.bytes);
    await store.put(manifest.bytes);
  }
  await store.put(top.bytes);
  const image = { name: siteName(bundle.version), isSite: true, top, platforms: base.platforms };
  return { image, search: facts };
}
