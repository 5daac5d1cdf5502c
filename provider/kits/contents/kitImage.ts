import type { Manifest } from "../../images/registry/manifests";
import type { StoredImage } from "../../images/registry/image";
import type { Base } from "../../images/siteImage/siteImage";

/** An image of a kit. */
export interface KitImage {
  /** `NAME:TAG`. */
  readonly name: string;
  /** Its name and digest in the registry that it was pulled from. Absent for the site's own image. */
  readonly base?: Base;
  /** Whether it is the site's own image. */
  readonly isSite: boolean;
  /** What its name refers to: its manifest, or for several platforms the index of its manifests. */
  readonly top: Manifest;
  readonly platforms: readonly string[];
}

/** An image that was pulled, for the requested platforms. */
export interface PulledImage extends KitImage {
  readonly base: Base;
  readonly images: readonly StoredImage[];
}
