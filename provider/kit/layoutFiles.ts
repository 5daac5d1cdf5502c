/** Where a kit has its images: an OCI image layout, see https://github.com/opencontainers/image-spec/blob/main/image-layout.md */
export const IMAGES = "images";
/** Its blobs, named by the digits of their digests. */
export const BLOBS = "images/blobs/sha256";

/** The annotation of an index by which the tools know an image's name. */
export const NAME_ANNOTATION = "org.opencontainers.image.ref.name";

/** The name of a blob's file. */
export function blobFile(digest: string): string {
  return digest.slice("sha256:".length);
}

/** Stands in a manifest for the kit that a blob is in, when that is the kit itself. */
export const THIS_KIT = "this";
