import { sha256In } from "../../../base/runtime/values/digest";
import type { Origin } from "./origin";
import { imageComponent, SBOM_TYPE, sbomText, siteComponents } from "./sbom";
import { PROVENANCE_TYPE, slsaProvenance, type Statement } from "./slsaProvenance";

/** The types of the documents about a signed image. */
export const PREDICATE_TYPES: readonly string[] = [PROVENANCE_TYPE, SBOM_TYPE];

/**
 * The documents about an image: its provenance, and its SBOM.
 *
 * @param name of its repository
 */
export function imageStatements(name: string, digest: string, origin: Origin): Statement[] {
  const subject = [{ name, digest: { sha256: sha256In(digest) } }];
  const provenance = slsaProvenance(subject, origin);
  const sbom = sbomText(imageComponent("image", name, digest), siteComponents(origin));
  return [provenance, { ...provenance, predicateType: SBOM_TYPE, predicate: JSON.parse(sbom) }];
}
