import { type Content, contentOf, describe, type Descriptor, fieldAt, manifestOf } from "../registry/content";
import type { Manifest } from "../registry/manifests";
import { OCI_CONFIG, OCI_MANIFEST } from "../registry/mediaTypes";
import {
  type Artifact,
  attestationTag,
  type ReadLayer,
  SIGNATURE_ANNOTATION,
  signatureTag,
  SIMPLE_SIGNING,
} from "./artifacts";
import { ENVELOPE_TYPE, opened, sealed, STATEMENT_TYPE } from "./envelope";
import { isSignatureOf, signaturePayload } from "./imageSignature";
import type { Signer } from "./signer";

/** The annotation of a layer with the type of the attestation in it. */
const PREDICATE_ANNOTATION = "predicateType";
/** The type of the referrer that contains an image's signatures. */
const SIGNATURE_ARTIFACT = "application/vnd.dev.cosign.artifact.sig.v1+json";
/** The annotation of a referrer with the type of the attestation in it. */
const REFERRER_ANNOTATION = "in-toto.io/predicate-type";

const EMPTY_TYPE = "application/vnd.oci.empty.v1+json";

/** A document about an image: an in-toto statement, which is signed as JSON. */
export interface Attestation {
  readonly predicateType: string;
}

/**
 * Signs an image and the documents about it. Existing valid signatures are kept, also those of others: the same inputs give the same
 * digests, although no two ECDSA signatures are the same.
 *
 * @param name of the image's repository, which the signature contains
 * @param existing what the image has already
 * @returns the artifacts for the registry; those with a tag for cosign come first
 */
export function makeArtifacts(
  { name, manifest }: { readonly name: string; readonly manifest: Manifest },
  attestations: readonly Attestation[],
  signer: Signer,
  existing: Readonly<Record<"signatures" | "attestations", readonly ReadLayer[]>>,
): Artifact[] {
  const layers = existing.signatures.map(({ layer }) => layer);
  const blobs: Content[] = [];
  if (!existing.signatures.some((each) => isSignatureOf(manifest.digest, each, signer))) {
    const payload = contentOf(SIMPLE_SIGNING, signaturePayload(name, manifest.digest));
    const annotations = { [SIGNATURE_ANNOTATION]: signer.sign(payload.bytes).toString("base64") };
    layers.push({ ...describe(payload), annotations });
    blobs.push(payload);
  }
  const signatures = referring(manifest, SIGNATURE_ARTIFACT, configOf(layers), layers, blobs);
  return [
    // cosign finds the signatures by their tag, other programs as a referrer
    { ...signatures, tag: signatureTag(manifest.digest) },
    ...attestationsOf(manifest, attestations, signer, existing.attestations),
  ];
}

/** The attestations of an image: cosign finds all of them by their tag, other programs each as a referrer. */
function attestationsOf(
  image: Manifest,
  attestations: readonly Attestation[],
  signer: Signer,
  existing: readonly ReadLayer[],
): Artifact[] {
  const earlier = existing.map((each) => ({ ...each, statement: opened(each.content, signer) }));
  const wanted = attestations.map((attestation) => {
    const statement = Buffer.from(JSON.stringify(attestation));
    const found = earlier.find((each) => each.statement?.equals(statement));
    const envelope = contentOf(ENVELOPE_TYPE, found?.content ?? sealed(statement, signer));
    return { predicateType: attestation.predicateType, envelope };
  });
  // earlier statements of the same kinds by this key are replaced, all others stay
  const kinds = new Set<unknown>(attestations.map(({ predicateType }) => predicateType));
  const others = earlier.filter(({ statement }) => !kinds.has(fieldAt(statement, "predicateType")));
  const added = wanted.map(({ predicateType, envelope }) => ({
    ...describe(envelope),
    annotations: { [SIGNATURE_ANNOTATION]: "", [PREDICATE_ANNOTATION]: predicateType },
  }));
  const layers = [...others.map(({ layer }) => layer), ...added];
  const config = configOf(layers);
  const manifest = manifestOf(OCI_MANIFEST, { config: describe(config), layers });
  const blobs = [config, ...wanted.map(({ envelope }) => envelope)];
  return [
    { manifest, blobs, tag: attestationTag(image.digest) },
    ...wanted.map(({ predicateType, envelope }) => attestationReferrer(image, predicateType, envelope)),
  ];
}

/** One attestation of an image as a referrer. @param envelope the content of its only layer */
export function attestationReferrer(image: Manifest, predicateType: string, envelope: Content): Artifact {
  const config = contentOf(EMPTY_TYPE, {});
  const annotations = { [REFERRER_ANNOTATION]: predicateType };
  return referring(image, STATEMENT_TYPE, config, [describe(envelope)], [envelope], annotations);
}

/** What a tag of cosign leads to; `undefined` for a manifest that only refers to an image. */
export function kindOf({ bytes }: Manifest): "signatures" | "attestations" | undefined {
  if (fieldAt(bytes, "artifactType") === SIGNATURE_ARTIFACT) return "signatures";
  return fieldAt(bytes, "subject") === undefined ? "attestations" : undefined;
}

/** A manifest that refers to an image. */
function referring(
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
function configOf(layers: readonly Descriptor[]): Content {
  const diffIds = layers.map(({ digest }) => digest);
  return contentOf(OCI_CONFIG, {
    architecture: "",
    os: "",
    config: {},
    rootfs: { type: "layers", diff_ids: diffIds },
  });
}
