import { DestinationError } from "../../../runtime/messages/errors";
import { imageStatements } from "../../../images/provenance/imageStatements";
import type { Manifest } from "../../../images/registry/manifests";
import { repositoryName } from "../../../images/registry/reference";
import type { RegistryClient } from "../../../images/registry/client";
import type { Artifact } from "../../../images/signing/artifacts";
import { signedArtifacts } from "../../../images/signing/signedImage";
import type { Base } from "../../../images/siteImage/siteImage";
import type { Signing } from "../destination";

/** The signature of an image, its provenance and its SBOM. @throws DestinationError; the signal's reason */
export async function artifactsOf(
  client: RegistryClient,
  image: Manifest,
  base: Base | undefined,
  { signer, origin }: Signing,
): Promise<Artifact[]> {
  const name = repositoryName(client.repository);
  const site = { ...origin, ...(base && { base: { name: base.name, digest: base.digest } }) };
  return signedArtifacts(client, image, imageStatements(name, image.digest, site), signer);
}

/** The failure to store the signature of an image that is in the registry. */
export function unsigned(image: string, error: unknown): unknown {
  if (!(error instanceof DestinationError)) return error;
  return error.withMessage(
    `the signature of ${image} could not be stored, so no tag points at it: ${error.message}`,
  );
}
