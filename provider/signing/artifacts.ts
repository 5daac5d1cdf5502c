import { digestOf } from "../registry/digest";
import type { Manifest } from "../registry/manifests";
import { OCI_CONFIG, OCI_MANIFEST } from "../registry/mediaTypes";
import type { ReferrerEntry } from "../registry/referrers";
import { ENVELOPE_TYPE, STATEMENT_TYPE } from "./envelope";

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

/** The media type of a payload that an image's signature signs. */
export const SIMPLE_SIGNING = "application/vnd.dev.cosign.simplesigning.v1+json";
/** The annotation of a layer with the signature of the layer's content, in base64. Empty for an attestation, which contains it. */
export const SIGNATURE_ANNOTATION = "dev.cosignproject.cosign/signature";
/** The annotation of a layer with the type of the attestation in it. */
export const PREDICATE_ANNOTATION = "predicateType";
/** The type of the referrer that contains an image's signatures. */
const SIGNATURE_ARTIFACT = "application/vnd.dev.cosign.artifact.sig.v1+json";
/** The annotation of a referrer with the type of the attestation in it. */
const REFERRER_ANNOTATION = "in-toto.io/predicate-type";

const EMPTY_TYPE = "application/vnd.oci.empty.v1+json";

/** Content in memory, with its digest. */
export interface Content {
  readonly bytes: Buffer;
  readonly digest: string;
}

/** A layer of an artifact, as its manifest lists it. */
export interface ArtifactLayer {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

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

/** The signatures of an image: cosign finds them by their tag, other programs as a referrer. */
export function signatureArtifact(
  image: Manifest,
  layers: readonly ArtifactLayer[],
  blobs: readonly Content[],
): Artifact {
  const config = configOf(layers);
  const tag = signatureTag(image.digest);
  return referring(image, SIGNATURE_ARTIFACT, OCI_CONFIG, config, layers, blobs, { tag });
}

/** All attestations of an image: cosign finds them by their tag. */
export function attestationArtifact(
  image: Manifest,
  layers: readonly ArtifactLayer[],
  blobs: readonly Content[],
): Artifact {
  const config = configOf(layers);
  const manifest = manifestOf({ config: descriptor(OCI_CONFIG, config), layers });
  return { manifest, blobs: [config, ...blobs], tag: attestationTag(image.digest) };
}

/** One attestation of an image as a referrer. @param envelope the content of its only layer */
export function attestationReferrer(image: Manifest, predicateType: string, envelope: Content): Artifact {
  const layers = [descriptor(ENVELOPE_TYPE, envelope)];
  const annotations = { [REFERRER_ANNOTATION]: predicateType };
  const options = { annotations };
  return referring(image, STATEMENT_TYPE, EMPTY_TYPE, contentOf("{}"), layers, [envelope], options);
}

/** Bytes with their digest. */
export function contentOf(text: Buffer | string): Content {
  const bytes = Buffer.from(text as string);
  return { bytes, digest: digestOf(bytes) };
}

/** Describes content in a manifest. */
export function descriptor(
  mediaType: string,
  { bytes, digest }: Content,
  annotations?: Readonly<Record<string, string>>,
): ArtifactLayer {
  return { mediaType, digest, size: bytes.length, ...(annotations && { annotations }) };
}

function referring(
  image: Manifest,
  artifactType: string,
  configType: string,
  config: Content,
  layers: readonly ArtifactLayer[],
  blobs: readonly Content[],
  { tag, annotations }: { tag?: string; annotations?: Readonly<Record<string, string>> },
): Artifact {
  const manifest = manifestOf({
    artifactType,
    config: descriptor(configType, config),
    layers,
    subject: { mediaType: image.mediaType, digest: image.digest, size: image.bytes.length },
    annotations,
  });
  const { digest, mediaType, bytes } = manifest;
  return {
    manifest,
    blobs: [config, ...blobs],
    ...(tag !== undefined && { tag }),
    referrer: { mediaType, digest, size: bytes.length, artifactType, ...(annotations && { annotations }) },
  };
}

function manifestOf(content: object): Manifest {
  const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: OCI_MANIFEST, ...content }));
  return { digest: digestOf(bytes), mediaType: OCI_MANIFEST, bytes };
}

/** The configuration that cosign writes, without its time. */
function configOf(layers: readonly ArtifactLayer[]): Content {
  const diffIds = layers.map(({ digest }) => digest);
  return contentOf(
    JSON.stringify({
      architecture: "",
      os: "",
      config: {},
      rootfs: { type: "layers", diff_ids: diffIds },
    }),
  );
}
