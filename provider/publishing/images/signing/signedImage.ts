import { isDigest } from "../../../base/runtime/values/digest";
import type { RegistryClient } from "../registry/client";
import { type Content, contentOf, fieldsOf } from "../registry/content";
import { ensureContent } from "../registry/ensureBlob";
import {
  deleteManifest,
  findManifest,
  getManifest,
  type Manifest,
  putManifest,
  type RefusedRemoval,
} from "../registry/manifests";
import { repositoryName } from "../registry/reference";
import { listReferrers, referrersOf, referrersTag } from "../registry/referrers";
import { type Artifact, attestationTag, readLayers, signatureTag } from "./artifacts";
import { ENVELOPE_TYPE, signedType, STATEMENT_TYPE } from "./envelope";
import { isSignatureOf } from "./imageSignature";
import { type Attestation, attestationReferrer, kindOf, makeArtifacts } from "./makeArtifacts";
import type { Signer } from "./signer";
import type { Verifier } from "./verifier";

/**
 * Signs an image and the documents about it. Existing valid signatures are kept, also those of others, so an interrupted run
 * continues with the same digests.
 *
 * @param image need not be in the registry yet
 * @returns as {@link makeArtifacts}
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function signedArtifacts(
  client: RegistryClient,
  image: Manifest,
  attestations: readonly Attestation[],
  signer: Signer,
): Promise<Artifact[]> {
  const name = repositoryName(client.repository);
  return makeArtifacts({ name, manifest: image }, attestations, signer, {
    signatures: (await readLayers(client, signatureTag(image.digest))) ?? [],
    attestations: (await readLayers(client, attestationTag(image.digest))) ?? [],
  });
}

/**
 * Stores the artifacts of an image, which must be in the registry.
 *
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function pushArtifacts(
  client: RegistryClient,
  image: Manifest,
  artifacts: readonly Artifact[],
): Promise<void> {
  for (const { manifest, blobs, tag } of artifacts) {
    for (const blob of blobs) await ensureContent(client, blob);
    await putManifest(client, manifest, tag);
  }
  const referrers = artifacts.flatMap(({ referrer }) => (referrer ? [referrer] : []));
  await listReferrers(client, image.digest, referrers);
}

/**
 * Whether an image has a valid signature and valid attestations by a key, and all their manifests.
 *
 * @param manifests digests of the manifests of its artifacts
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function isSignedImage(
  client: RegistryClient,
  digest: string,
  { predicateTypes, manifests }: { predicateTypes: readonly string[]; manifests: readonly string[] },
  verifier: Verifier,
): Promise<boolean> {
  const envelopes = await signedEnvelopes(client, digest, predicateTypes, verifier);
  return envelopes !== undefined && (await stored(client, manifests)).length === manifests.length;
}

/**
 * Finds the artifacts of an image that `signedArtifacts` made with a key.
 *
 * @returns the digests of their manifests, in its order; undefined unless all are there and the key signed them
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function findArtifacts(
  client: RegistryClient,
  digest: string,
  predicateTypes: readonly string[],
  verifier: Verifier,
): Promise<string[] | undefined> {
  const image = await getManifest(client, digest);
  if (image === undefined) return undefined;
  const envelopes = await signedEnvelopes(client, digest, predicateTypes, verifier);
  if (envelopes === undefined) return undefined;
  const tagged = await stored(client, [signatureTag(digest), attestationTag(digest)]);
  // not all registries tell an image's referrers: the same envelopes give the same manifests
  const referrers = envelopes.map(
    ({ predicateType, envelope }) => attestationReferrer(image, predicateType, envelope).manifest.digest,
  );
  const areStored = (await stored(client, referrers)).length === referrers.length;
  return areStored ? [...tagged, ...referrers] : undefined;
}

/** The envelope of each kind of attestation; undefined unless a key signed the image and all of them. */
async function signedEnvelopes(
  client: RegistryClient,
  digest: string,
  predicateTypes: readonly string[],
  verifier: Verifier,
): Promise<{ predicateType: string; envelope: Content }[] | undefined> {
  const signatures = (await readLayers(client, signatureTag(digest))) ?? [];
  if (!signatures.some((each) => isSignatureOf(digest, each, verifier))) return undefined;
  const attestations = (await readLayers(client, attestationTag(digest))) ?? [];
  const envelopes = predicateTypes.flatMap((predicateType) => {
    const found = attestations.find(({ content }) => signedType(content, digest, verifier) === predicateType);
    return found ? { predicateType, envelope: contentOf(ENVELOPE_TYPE, found.content) } : [];
  });
  return envelopes.length === predicateTypes.length ? envelopes : undefined;
}

/** The digests of those of these manifests that the registry has. @param names tags or digests */
async function stored(client: RegistryClient, names: readonly string[]): Promise<string[]> {
  const digests = await Array.fromAsync(names, (name) => findManifest(client, name));
  return digests.filter((digest) => digest !== undefined);
}

/**
 * Removes all signatures and attestations of an image, also those of others: the image itself is removed, too.
 *
 * @param manifests digests of the manifests of its artifacts
 * @returns the reason if the registry refuses the removal for good
 * @throws as {@link deleteManifest}
 */
export async function removeArtifacts(
  client: RegistryClient,
  digest: string,
  manifests: readonly string[],
): Promise<RefusedRemoval | undefined> {
  const list = await stored(client, [referrersTag(digest)]);
  return deleteAll(client, new Set([...list, ...(await namedArtifacts(client, digest)), ...manifests]));
}

/**
 * Removes the signatures and attestations of an image whose tag names others now: another owner of the image has replaced them by its
 * own. What refers to the image stays: a list may lack it, and another owner may have the same.
 *
 * @param manifests digests of the manifests of its artifacts
 * @returns the reason if the registry refuses the removal for good
 * @throws as {@link deleteManifest}
 */
export async function removeReplacedArtifacts(
  client: RegistryClient,
  digest: string,
  manifests: readonly string[],
): Promise<RefusedRemoval | undefined> {
  const signatures = await findManifest(client, signatureTag(digest));
  const attestations = await findManifest(client, attestationTag(digest));
  const replaced: string[] = [];
  for (const each of manifests.filter((own) => own !== signatures && own !== attestations)) {
    const manifest = await getManifest(client, each);
    const kind = manifest && kindOf(manifest);
    const successor = kind === "signatures" ? signatures : attestations;
    if (kind !== undefined && successor !== undefined) replaced.push(each);
  }
  return deleteAll(client, replaced);
}

/** Removes manifests until the registry refuses one for good. @returns the reason */
async function deleteAll(
  client: RegistryClient,
  manifests: Iterable<string>,
): Promise<RefusedRemoval | undefined> {
  for (const each of manifests) {
    const refused = await deleteManifest(client, each);
    if (refused) return refused;
  }
  return undefined;
}

/** The artifacts of an image that a verifier finds: by their tags, and in the list of its referrers. */
async function namedArtifacts(client: RegistryClient, digest: string): Promise<string[]> {
  const tagged = await stored(client, [signatureTag(digest), attestationTag(digest)]);
  const referrers = (await referrersOf(client, digest))
    .map(fieldsOf)
    .filter(({ artifactType }) => artifactType === STATEMENT_TYPE)
    .map(({ digest: referrer }) => referrer);
  return [...tagged, ...referrers.filter(isDigest)];
}
