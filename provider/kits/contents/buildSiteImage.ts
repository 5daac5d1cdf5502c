import type { Bundle, Unpacking } from "../../site/inspection/bundle";
import type { SiteLimits } from "../../site/archive/site";
import {
  editionOf,
  unpackSite,
  type SearchFacts,
  type WantedSearch,
} from "../../site/offlineSearch/unpackSite";
import { LayerWriter } from "../../images/siteImage/layer";
import { annotationsOf, imageOnBase } from "../../images/siteImage/siteImage";
import type { BlobStore } from "./blobStore";
import { siteName, type KitImage, type PulledImage } from "./kitImage";

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
  const images = base.images.map((each) => imageOnBase(each, layer, annotations));
  const stored = images.map((each) => ({ ...each, configBytes: each.config.bytes }));
  const top = await store.putImage(stored, annotations);
  const image = { name: siteName(bundle.version), isSite: true, top, platforms: base.platforms };
  return { image, search: facts };
}
