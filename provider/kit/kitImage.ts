import type { Manifest } from "../registry/manifests";
import type { StoredImage } from "../registry/image";

/** An image of a kit. */
export interface KitImage {
  /** `NAME:TAG`. */
  readonly name: string;
  /** Where the image was pulled from, with its digest there. Absent for the site's own image. */
  readonly reference?: string;
  /** Its name and digest in its registry. Absent for the site's own image. */
  readonly base?: { readonly name: string; readonly digest: string };
  /** Whether it is the site's own image. */
  readonly isSite: boolean;
  /** What its name refers to: its manifest, or for several platforms the index of its manifests. */
  readonly top: Manifest;
  readonly platforms: readonly string[];
}

/** An image that was pulled, for the requested platforms. */
export interface PulledImage extends KitImage {
  readonly reference: string;
  /** Its name and digest, for the annotations of the image that is built on it. */
  readonly base: { readonly name: string; readonly digest: string };
  readonly images: readonly StoredImage[];
}
