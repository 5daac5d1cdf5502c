import { DestinationError } from "../../messages/errors";
import { imagePart, SBOM_TYPE, sbomText, siteParts } from "../../provenance/sbom";
import { PROVENANCE_TYPE, slsaProvenance } from "../../provenance/slsaProvenance";
import { sha256In, statement } from "../../provenance/statement";
import type { Manifest } from "../../registry/manifests";
import { repositoryName } from "../../registry/reference";
import type { RegistrySession } from "../../registry/session";
import type { Artifact } from "../../signing/artifacts";
import { signedArtifacts } from "../../signing/signedImage";
import type { Base } from "../../siteImage/siteImage";
import type { Signing } from "../destination";

/** The documents about a signed copy. */
export const PREDICATE_TYPES = [PROVENANCE_TYPE, SBOM_TYPE];

/** The signature of an image, its provenance and its SBOM. @throws DestinationError; the signal's reason */
export async function artifactsOf(
  session: RegistrySession,
  image: Manifest,
  base: Base | undefined,
  { signer, origin }: Signing,
): Promise<Artifact[]> {
  const name = repositoryName(session.repository);
  const subject = [{ name, digest: { sha256: sha256In(image.digest) } }];
  const site = { ...origin, ...(base && { base: { name: base.name, digest: base.digest } }) };
  const sbom = sbomText(imagePart("image", name, image.digest), siteParts(site));
  const statements = [slsaProvenance(subject, site), statement(subject, SBOM_TYPE, JSON.parse(sbom))];
  return signedArtifacts(session, image, statements, signer);
}

/** The failure to store the signature of an image that is in the registry. */
export function unsigned(image: string, error: unknown): unknown {
  if (!(error instanceof DestinationError)) return error;
  return error.withMessage(
    `the signature of ${image} could not be stored, so no tag points at it: ${error.message}`,
  );
}
