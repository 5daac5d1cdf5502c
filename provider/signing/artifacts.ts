/**
 * The tags under which cosign finds an image's signatures and attestations. They contain the image's digest, see
 * https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md. Versions 2 and 3 of cosign, Flux and admission controllers
 * read these tags. A registry needs only tags for them.
 */
const tagOf = (digest: string, suffix: string): string => `${digest.replace(":", "-")}${suffix}`;

/** The tag of an image's signatures. @param digest of the image */
export const signatureTag = (digest: string): string => tagOf(digest, ".sig");
/** The tag of an image's attestations. @param digest of the image */
export const attestationTag = (digest: string): string => tagOf(digest, ".att");
/**
 * The tag of the list of an image's referrers, for registries without an API for it, see «Referrers Tag Schema» in the distribution
 * specification. @param digest of the image
 */
export const referrersTag = (digest: string): string => tagOf(digest, "");

/** The media type of a payload that an image's signature signs. */
export const SIMPLE_SIGNING = "application/vnd.dev.cosign.simplesigning.v1+json";
/** The annotation of a layer with the signature of the layer's content, in base64. Empty for an attestation, which contains it. */
export const SIGNATURE_ANNOTATION = "dev.cosignproject.cosign/signature";
