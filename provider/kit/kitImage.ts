import type { Manifest } from "../registry/manifests";
import type { StoredImage } from "../registry/image";

/** An image of a kit. */
export interface KitImage {
  /** `NAME:TAG`. */
  readonly name: string;
  /** Where it was pulled from, with its digest there. None of the site's own. */
  readonly reference?: string;
  /** Whether it is the site's own. */
  readonly isSite: boolean;
  /** What its name leads to: its manifest, or the index of its manifests when it has several platforms. */
  readonly top: Manifest;
  readonly platforms: readonly string[];
}

/** An image that was pulled, for the platforms that were asked for. */
export interface PulledImage extends KitImage {
  readonly reference: string;
  /** Its name and digest as they are written of the image that is built on it. */
  readonly base: { readonly name: string; readonly digest: string };
  readonly images: readonly StoredImage[];
}
