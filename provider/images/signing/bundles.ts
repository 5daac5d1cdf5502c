import { descriptorIn, fieldsOf, listIn } from "../registry/content";
import { findBlob } from "../registry/download";
import { getManifest } from "../registry/manifests";
import { isDigest } from "../registry/reference";
import { referrersOf } from "../registry/referrers";
import type { RegistrySession } from "../registry/session";
import { signedType } from "./envelope";
import type { Verifier } from "./verifier";

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
export async function readBundles(session: RegistrySession, digest: string): Promise<Buffer[]> {
  // registries may leave out the type of a referrer, or tell that of its configuration: then the manifest alone says what it is
  const listed = (await referrersOf(session, digest))
    .sort((one, other) => Number(isCalledBundle(other)) - Number(isCalledBundle(one)))
    .slice(0, MOST_REFERRERS);
  const bundles: Buffer[] = [];
  for (const each of listed) {
    const { digest: name } = fieldsOf(each);
    const manifest = isDigest(name) ? await getManifest(session, name) : undefined;
    const layer = descriptorIn(listIn(manifest?.bytes, "layers")[0]);
    const content = layer?.mediaType.startsWith(BUNDLE_TYPE) ? await findBlob(session, layer) : undefined;
    if (content) bundles.push(content);
  }
  return bundles;
}

function isCalledBundle(entry: unknown): boolean {
  const { artifactType } = fieldsOf(entry);
  return typeof artifactType === "string" && artifactType.startsWith(BUNDLE_TYPE);
}

/** Whether a bundle is a signature of an image by a key. */
export function isSignatureBundle(
  digest: string,
  bundle: Buffer,
  verifier: Pick<Verifier, "verify">,
): boolean {
  return signedType(fieldsOf(bundle)["dsseEnvelope"], digest, verifier) === SIGNATURE_STATEMENT;
}
