import { sha256In } from "../../../base/runtime/values/digest";
import type { Origin } from "./origin";
import { imagePackageUrl, ownPackageUrl } from "./sbom";

/** The subject of a statement, or a material, see https://github.com/in-toto/attestation. */
interface ResourceDescriptor {
  readonly name?: string;
  readonly uri?: string;
  readonly digest?: { readonly sha256: string };
}

/** A statement of in-toto, version 1. */
export interface Statement {
  readonly _type: "https://in-toto.io/Statement/v1";
  readonly subject: readonly ResourceDescriptor[];
  readonly predicateType: string;
  readonly predicate: unknown;
}

/** The type of a provenance, see https://slsa.dev/spec/v1.0/provenance. */
export const PROVENANCE_TYPE = "https://slsa.dev/provenance/v1";

/** Identifies the meaning of a build's parameters. Change its version when their meaning changes. */
const BUILD_TYPE = "pkg:npm/pulumi-docs-hosting#site/v1";

/**
 * Makes a provenance: the materials of a site and its builder. It contains no time, so the same content gives the same bytes.
 *
 * @param subject the image
 */
export function slsaProvenance(subject: readonly ResourceDescriptor[], origin: Origin): Statement {
  const { bundle, serviceUrl, base, additions = [], fetched = [] } = origin;
  const { format, sha256, version, jobId, domain } = bundle;
  const job =
    serviceUrl === undefined || jobId === undefined
      ? undefined
      : `${serviceUrl}/v1/static-export/jobs/${encodeURIComponent(jobId)}`;
  const materials: ResourceDescriptor[] = [
    { name: `bundle.${format}`, ...(job !== undefined && { uri: job }), digest: { sha256 } },
  ];
  if (base) {
    const { name, digest } = base;
    materials.push({ name, uri: imagePackageUrl(name, digest), digest: { sha256: sha256In(digest) } });
  }
  for (const { address, sha256: ofAsset } of fetched) {
    materials.push({ uri: address, digest: { sha256: ofAsset } });
  }
  const predicate = {
    buildDefinition: {
      buildType: BUILD_TYPE,
      externalParameters: {
        ...(serviceUrl !== undefined && { baseUrl: serviceUrl }),
        ...(domain !== undefined && { domain }),
        ...(jobId !== undefined && { jobId }),
        version,
        ...(base && { base: base.name }),
        ...Object.fromEntries(additions.map(({ name, options }) => [name, options])),
      },
      resolvedDependencies: materials,
    },
    runDetails: { builder: { id: ownPackageUrl() } },
  };
  return { _type: "https://in-toto.io/Statement/v1", subject, predicateType: PROVENANCE_TYPE, predicate };
}
