import { fieldsOf } from "../registry/content";
import { pinned, repositoryName } from "../registry/reference";
import type { RegistrySession } from "../registry/session";
import { DestinationError } from "../../runtime/messages/errors";
import { SIGNATURE_ANNOTATION, signatureTag, SIMPLE_SIGNING } from "./artifacts";
import { isSignatureBundle, readBundles } from "./bundles";
import { readLayers, type ReadLayer } from "./layers";
import type { Verifier } from "./verifier";

/** What a registry has for an image and a key: a signature by that key, none at all, or only others (or damaged ones). */
export type SignatureFinding = "signed" | "unsigned" | "otherSignature";

/**
 * Looks for an image's signature by a key, as `cosign verify --key` does: under the tag of cosign 2, and in the bundles of cosign 3.
 * Every digest is verified.
 *
 * @param digest of the image, in the session's repository
 * @throws DestinationError when the registry cannot be read; DeadlineExceededError; the signal's reason
 */
export async function findSignature(
  session: RegistrySession,
  digest: string,
  verifier: Pick<Verifier, "verify">,
): Promise<SignatureFinding> {
  const layers = await readLayers(session, signatureTag(digest));
  if (layers?.some((each) => isSignatureOf(digest, each, verifier))) return "signed";
  const bundles = await readBundles(session, digest);
  if (bundles.some((each) => isSignatureBundle(digest, each, verifier))) return "signed";
  return layers === undefined && bundles.length === 0 ? "unsigned" : "otherSignature";
}

/**
 * Verifies that an image is signed by a key.
 *
 * @param digest of the image, in the session's repository
 * @throws DestinationError when it is not, or the registry cannot be read; DeadlineExceededError; the signal's reason
 */
export async function verifyImage(
  session: RegistrySession,
  digest: string,
  verifier: Pick<Verifier, "verify" | "keyId">,
): Promise<void> {
  const finding = await findSignature(session, digest, verifier);
  if (finding === "signed") return;
  const image = pinned(session.repository, digest);
  throw finding === "unsigned"
    ? new DestinationError(
        `${image} has no signature`,
        `Sign it, for example with \`signingKeyEnv\` of a BundleCopy. If it was copied from another repository, its signature was not: copy the tag ${signatureTag(digest)}, too, and of one by cosign 3 the referrers (\`cosign copy\`, \`oras cp -r\`).`,
      )
    : new DestinationError(
        `${image} has no valid signature by the public key with the SHA-256 ${verifier.keyId}`,
        `Another key signed it, or its signature in ${repositoryName(session.repository)} was changed. Give the public key of its signer, or find out who changed it.`,
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
    mediaType === SIMPLE_SIGNING && verifier.verify(content, signature) && signedDigest(content) === digest
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

function signedDigest(payload: Buffer): unknown {
  const { critical } = fieldsOf(payload);
  const { image } = fieldsOf(critical);
  return fieldsOf(image)["docker-manifest-digest"];
}
