import { contentOf, describe, manifestOf, type Content, type Descriptor } from "../registry/content";
import type { Manifest } from "../registry/manifests";
import { OCI_CONFIG, OCI_MANIFEST } from "../registry/mediaTypes";
import { referrersTag, type ReferrerEntry } from "../registry/referrers";
import { STATEMENT_TYPE } from "./envelope";

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
/** The annotation of a layer with the type of the attestation in it. */
export const PREDICATE_ANNOTATION = "predicateType";
/** The type of the referrer that contains an image's signatures. */
export const SIGNATURE_ARTIFACT = "application/vnd.dev.cosign.artifact.sig.v1+json";
/** The annotation of a referrer with the type of the attestation in it. */
const REFERRER_ANNOTATION = "in-toto.io/predicate-type";

const EMPTY_TYPE = "application/vnd.oci.empty.v1+json";

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

/** One attestation of an image as a referrer. @param envelope the content of its only layer */
export function attestationReferrer(image: Manifest, predicateType: string, envelope: Content): Artifact {
  const config = contentOf(EMPTY_TYPE, {});
  const annotations = { [REFERRER_ANNOTATION]: predicateType };
  return referring(image, STATEMENT_TYPE, config, [describe(envelope)], [envelope], annotations);
}

/** A manifest that refers to an image. */
export function referring(
  image: Manifest,
  artifactType: string,
  config: Content,
  layers: readonly Descriptor[],
  blobs: readonly Content[],
  annotations?: Readonly<Record<string, string>>,
): Artifact {
  const manifest = manifestOf(OCI_MANIFEST, {
    artifactType,
    config: describe(config),
    layers,
    subject: describe(image),
    annotations,
  });
  return {
    manifest,
    blobs: [config, ...blobs],
    referrer: { ...describe(manifest), artifactType, ...(annotations && { annotations }) },
  };
}

/** The configuration that cosign writes, without its time. */
export function configOf(layers: readonly Descriptor[]): Content {
  const diffIds = layers.map(({ digest }) => digest);
  return contentOf(OCI_CONFIG, {
    architecture: "",
    os: "",
    config: {},
    rootfs: { type: "layers", diff_ids: diffIds },
  });
}
