import { DestinationError } from "../../../base/runtime/messages/errors";
import { isDigest } from "../../../base/runtime/values/digest";
import type { RegistryClient } from "../registry/client";
import { descriptorIn, fieldAt, listIn } from "../registry/content";
import { findBlob } from "../registry/download";
import { getManifest } from "../registry/manifests";
import { pinned, repositoryName } from "../registry/reference";
import { referrersOf } from "../registry/referrers";
import { type ReadLayer, readLayers, SIGNATURE_ANNOTATION, signatureTag, SIMPLE_SIGNING } from "./artifacts";
import { signedType } from "./envelope";
import type { Verifier } from "./verifier";

/**
 * Looks for an image's signature by a key, as `cosign verify --key` does: under the tag of cosign 2, and in the bundles of cosign 3.
 * Every digest is verified.
 *
 * @param digest of the image, in the client's repository
 * @returns the error for an image that is not signed by the key; undefined for one that is
 * @throws DestinationError when the registry cannot be read; DeadlineExceededError; the signal's reason
 */
export async function signatureProblem(
  client: RegistryClient,
  digest: string,
  verifier: Pick<Verifier, "verify" | "keyId">,
): Promise<DestinationError | undefined> {
  const layers = await readLayers(client, signatureTag(digest));
  if (layers?.some((each) => isSignatureOf(digest, each, verifier))) return undefined;
  const bundles = await readBundles(client, digest);
  const types = bundles.map((each) => signedType(fieldAt(each, "dsseEnvelope"), digest, verifier));
  if (types.includes(SIGNATURE_STATEMENT)) return undefined;
  const image = pinned(client.repository, digest);
  if (layers === undefined && bundles.length === 0) {
    return new DestinationError(
      `${image} has no signature`,
      `Sign it, for example with \`signingKeyEnv\` of a BundleCopy. If it was copied from another repository, its signature was not: copy the tag ${signatureTag(digest)}, too, and of one by cosign 3 the referrers (\`cosign copy\`, \`oras cp -r\`).`,
    );
  }
  return new DestinationError(
    `${image} has no valid signature by the public key with the SHA-256 ${verifier.keyId}`,
    `Another key signed it, or its signature in ${repositoryName(client.repository)} was changed. Give the public key of its signer, or find out who changed it.`,
  );
}

/** Whether a layer is a signature of an image by a key. */
export function isSignatureOf(
  digest: string,
  { layer: { mediaType, annotations }, content }: ReadLayer,
  verifier: Pick<Verifier, "verify">,
): boolean {
  const signature = Buffer.from(annotations?.[SIGNATURE_ANNOTATION] ?? "", "base64");
  return (
    mediaType === SIMPLE_SIGNING &&
    verifier.verify(content, signature) &&
    fieldAt(content, "critical", "image", "docker-manifest-digest") === digest
  );
}

/** The payload that signs an image: «simple signing» of containers, without a time. @param repository its name */
export function signaturePayload(repository: string, digest: string): Buffer {
  const payload = {
    critical: {
      identity: { "docker-reference": repository },
      image: { "docker-manifest-digest": digest },
      type: "cosign container image signature",
    },
    optional: null,
  };
  return Buffer.from(JSON.stringify(payload));
}

/** What the media types of all versions of a bundle begin with, see https://docs.sigstore.dev/about/bundle/ */
const BUNDLE_TYPE = "application/vnd.dev.sigstore.bundle";
/** The kind of statement by which cosign 3 signs an image: an image with other statements only is described, not signed. */
const SIGNATURE_STATEMENT = "https://sigstore.dev/cosign/sign/v1";
/** Maximum number of referrers that are read: whoever may push can add any number. */
const MOST_REFERRERS = 200;

/**
 * Reads the bundles of an image: signatures in the form of cosign 3, each in a manifest that refers to the image.
 *
 * @param digest of the image
 * @throws DestinationError; DeadlineExceededError; the signal's reason
 */
async function readBundles(client: RegistryClient, digest: string): Promise<Buffer[]> {
  // registries may leave out the type of a referrer, or tell that of its configuration: then the manifest alone says what it is
  const listed = (await referrersOf(client, digest))
    .sort((one, other) => Number(isCalledBundle(other)) - Number(isCalledBundle(one)))
    .slice(0, MOST_REFERRERS);
  const bundles: Buffer[] = [];
  for (const each of listed) {
    const name = fieldAt(each, "digest");
    const manifest = isDigest(name) ? await getManifest(client, name) : undefined;
    const layer = descriptorIn(listIn(manifest?.bytes, "layers")[0]);
    const content = layer?.mediaType.startsWith(BUNDLE_TYPE) ? await findBlob(client, layer) : undefined;
    if (content) bundles.push(content);
  }
  return bundles;
}

function isCalledBundle(entry: unknown): boolean {
  const artifactType = fieldAt(entry, "artifactType");
  return typeof artifactType === "string" && artifactType.startsWith(BUNDLE_TYPE);
}
