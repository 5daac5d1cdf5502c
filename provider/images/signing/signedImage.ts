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
import type { RegistrySession } from "../registry/session";
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
  session: RegistrySession,
  image: Manifest,
  attestations: readonly Attestation[],
  signer: Signer,
): Promise<Artifact[]> {
  const name = repositoryName(session.repository);
  return makeArtifacts({ name, manifest: image }, attestations, signer, {
    signatures: (await readLayers(session, signatureTag(image.digest))) ?? [],
    attestations: (await readLayers(session, attestationTag(image.digest))) ?? [],
  });
}

/**
 * Stores the artifacts of an image, which must be in the registry.
 *
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function pushArtifacts(
  session: RegistrySession,
  image: Manifest,
  artifacts: readonly Artifact[],
): Promise<void> {
  for (const { manifest, blobs, tag } of artifacts) {
    for (const blob of blobs) await ensureContent(session, blob);
    await putManifest(session, manifest, tag);
  }
  const referrers = artifacts.flatMap(({ referrer }) => (referrer ? [referrer] : []));
  await listReferrers(session, image.digest, referrers);
}

/**
 * Whether an image has a valid signature and valid attestations by a key, and all their manifests.
 *
 * @param manifests digests of the manifests of its artifacts
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function isSignedImage(
  session: RegistrySession,
  digest: string,
  { predicateTypes, manifests }: { predicateTypes: readonly string[]; manifests: readonly string[] },
  verifier: Verifier,
): Promise<boolean> {
  const envelopes = await signedEnvelopes(session, digest, predicateTypes, verifier);
  return envelopes !== undefined && (await areStored(session, manifests));
}

/**
 * Finds the artifacts of an image that `signedArtifacts` made with a key.
 *
 * @returns the digests of their manifests, in its order; undefined unless all are there and the key signed them
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
export async function findArtifacts(
  session: RegistrySession,
  digest: string,
  predicateTypes: readonly string[],
  verifier: Verifier,
): Promise<string[] | undefined> {
  const image = await getManifest(session, digest);
  if (image === undefined) return undefined;
  const envelopes = await signedEnvelopes(session, digest, predicateTypes, verifier);
  if (envelopes === undefined) return undefined;
  const tagged = await findTagged(session, [signatureTag(digest), attestationTag(digest)]);
  // not all registries tell an image's referrers: the same envelopes give the same manifests
  const referrers = envelopes.map(({ predicateType, content }) => {
    const { manifest } = attestationReferrer(image, predicateType, contentOf(ENVELOPE_TYPE, content));
    return manifest.digest;
  });
  return (await areStored(session, referrers)) ? [...tagged, ...referrers] : undefined;
}

/** The envelope of each kind of attestation; undefined unless a key signed the image and all of them. */
async function signedEnvelopes(
  session: RegistrySession,
  digest: string,
  predicateTypes: readonly string[],
  verifier: Verifier,
): Promise<{ predicateType: string; content: Buffer }[] | undefined> {
  const signatures = (await readLayers(session, signatureTag(digest))) ?? [];
  if (!signatures.some((each) => isSignatureOf(digest, each, verifier))) return undefined;
  const attestations = (await readLayers(session, attestationTag(digest))) ?? [];
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
async function findTagged(session: RegistrySession, tags: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const tag of tags) {
    const digest = await findManifest(session, tag);
    if (digest !== undefined) found.push(digest);
  }
  return found;
}

async function areStored(session: RegistrySession, manifests: readonly string[]): Promise<boolean> {
  for (const each of manifests) if ((await findManifest(session, each)) === undefined) return false;
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
  session: RegistrySession,
  digest: string,
  manifests: readonly string[],
): Promise<RefusedRemoval | undefined> {
  const list = await findTagged(session, [referrersTag(digest)]);
  return deleteAll(session, new Set([...list, ...(await namedArtifacts(session, digest)), ...manifests]));
}

/**
 * Removes those artifacts of an image that no tag and no list names: another owner of the image has replaced them by its own.
 *
 * @param manifests digests of the manifests of its artifacts
 * @returns the reason if the registry refuses the removal for good
 * @throws as {@link deleteManifest}
 */
export async function removeReplacedArtifacts(
  session: RegistrySession,
  digest: string,
  manifests: readonly string[],
): Promise<RefusedRemoval | undefined> {
  const named = await namedArtifacts(session, digest);
  return deleteAll(
    session,
    manifests.filter((manifest) => !named.includes(manifest)),
  );
}

/** Removes manifests until the registry refuses one for good. @returns the reason */
async function deleteAll(
  session: RegistrySession,
  manifests: Iterable<string>,
): Promise<RefusedRemoval | undefined> {
  for (const each of manifests) {
    const refused = await deleteManifest(session, each);
    if (refused) return refused;
  }
  return undefined;
}

/** The artifacts of an image that a verifier finds: by their tags, and in the list of its referrers. */
async function namedArtifacts(session: RegistrySession, digest: string): Promise<string[]> {
  const tagged = await findTagged(session, [signatureTag(digest), attestationTag(digest)]);
  const referrers = (await referrersOf(session, digest))
    .map(fieldsOf)
    .filter(({ artifactType }) => artifactType === STATEMENT_TYPE)
    .map(({ digest: referrer }) => referrer);
  return [...tagged, ...referrers.filter(isDigest)];
}
