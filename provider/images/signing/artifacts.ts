import type { Content } from "../registry/content";
import type { Manifest } from "../registry/manifests";
import { referrersTag, type ReferrerEntry } from "../registry/referrers";

/**
 * The tag under which cosign finds an image's signatures, see
 * https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md. Versions 2 and 3 of cosign, Flux and admission controllers
 * read such tags. A registry needs only tags for them.
 *
 * @param digest of the image
 */
export const signatureTag = (digest: string): string => `${referrersTag(digest)}.sig`;
/** The tag of an image's attestations. @param digest of the image */
export const attestationTag = (digest: string): string => `${referrersTag(digest)}.att`;

/** The media type of a payload that an image's signature signs. */
export const SIMPLE_SIGNING = "application/vnd.dev.cosign.simplesigning.v1+json";
/** The annotation of a layer with the signature of the layer's content, in base64. Empty for an attestation, which contains it. */
export const SIGNATURE_ANNOTATION = "dev.cosignproject.cosign/signature";

/** A signature or an attestation of an image, ready to be stored. */
export interface Artifact {
  readonly manifest: Manifest;
  /** Content that the registry may not have yet. */
  readonly blobs: readonly Content[];
  /** The tag under which cosign finds it. */
  readonly tag?: string;
  /** Its entry in a list of referrers, if it refers to the image. */
  readonly referrer?: ReferrerEntry;
}
