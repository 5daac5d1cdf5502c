import { contentOf, fieldsOf } from "../registry/content";
import { ensureContent } from "../registry/ensureBlob";
import {
  deleteManifest,
  findManifest,
  getManifest,
  putManifest,
  type Manifest,
  type RefusedRemoval,
} from "../registry/manifests";
import { isDigest, repositoryName } from "../registry/reference";
import { listReferrers, referrersOf, referrersTag } from "../registry/referrers";
import type { RegistryClient } from "../registry/client";
import { attestationReferrer, attestationTag, signatureTag, type Artifact } from "./artifacts";
import { ENVELOPE_TYPE, signedType, STATEMENT_TYPE } from "./envelope";
import { isSignatureOf } from "./imageSignature";
import { readLayers } from "./layers";
import { makeArtifacts, type Attestation } from "./makeArtifacts";
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
  return envelopes !== undefined && (await areStored(client, manifests));
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
  const tagged = await findTagged(client, [signatureTag(digest), attestationTag(digest)]);
  // not all registries tell an image's referrers: the same envelopes give the same manifests
  const referrers = envelopes.map(({ predicateType, content }) => {
    const { manifest } = attestationReferrer(image, predicateType, contentOf(ENVELOPE_TYPE, content));
    return manifest.digest;
  });
  return (await areStored(client, referrers)) ? [...tagged, ...referrers] : undefined;
}

/** The envelope of each kind of attestation; undefined unless a key signed the image and all of them. */
async function signedEnvelopes(
  client: RegistryClient,
  digest: string,
  predicateTypes: readonly string[],
  verifier: Verifier,
): Promise<{ predicateType: string; content: Buffer }[] | undefined> {
  const signatures = (await readLayers(client, signatureTag(digest))) ?? [];
  if (!signatures.some((each) => isSignatureOf(digest, each, verifier))) return undefined;
  const attestations = (await readLayers(client, attestationTag(digest))) ?? [];
  const found = attestations.map(({ content }) => ({ type: signedType(content, digest, verifier), content }));
  const envelopes = predicateTypes.flatMap((predicateType) =>
    found
      .filter(({ type }) => type === predicateType)
      .slice(0, 1)
      .map(({ content }) => ({ predicateType, content })),
  );
  return envelopes.length === predicateTypes.length ? envelopes : undefined;
}

/** The digests of the manifests to which these tags refer. Missing tags are left out. */
async function findTagged(client: RegistryClient, tags: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const tag of tags) {
    const digest = await findManifest(client, tag);
    if (digest !== undefined) found.push(digest);
  }
  return found;
}

async function areStored(client: RegistryClient, manifests: readonly string[]): Promise<boolean> {
  for (const each of manifests) if ((await findManifest(client, each)) === undefined) return false;
  return true;
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
  const list = await findTagged(client, [referrersTag(digest)]);
  return deleteAll(client, new Set([...list, ...(await namedArtifacts(client, digest)), ...manifests]));
}

/**
 * Removes those artifacts of an image that no tag and no list names: another owner of the image has replaced them by its own.
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
  const named = await namedArtifacts(client, digest);
  return deleteAll(
    client,
    manifests.filter((manifest) => !named.includes(manifest)),
  );
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
  const tagged = await findTagged(client, [signatureTag(digest), attestationTag(digest)]);
  const referrers = (await referrersOf(client, digest))
    .map(fieldsOf)
    .filter(({ artifactType }) => artifactType === STATEMENT_TYPE)
    .map(({ digest: referrer }) => referrer);
  return [...tagged, ...referrers.filter(isDigest)];
}
