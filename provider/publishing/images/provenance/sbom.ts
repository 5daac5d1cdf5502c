import { basename } from "node:path/posix";
import { packageVersion } from "../../../base/runtime/files/packageText";
import { sha256In } from "../../../base/runtime/values/digest";
import { parseBase, repositoryName } from "../registry/reference";
import type { Origin } from "./origin";

/** The type of a statement with an SBOM, see https://cyclonedx.org/specification/overview/. */
export const SBOM_TYPE = "https://cyclonedx.org/bom";

/** A component in an SBOM. */
export interface SbomComponent {
  /** Identifies it within the SBOM. */
  readonly ref: string;
  readonly kind: "application" | "container" | "file" | "library";
  readonly name: string;
  readonly version?: string | undefined;
  readonly sha256?: string | undefined;
  readonly packageUrl?: string | undefined;
}

/**
 * Writes an SBOM as JSON, in the format of CycloneDX 1.6. It contains no time and no random number, and its lists are sorted, so that
 * the same content gives the same bytes.
 *
 * @param main the component that consists of the others
 */
export function sbomText(main: SbomComponent, components: readonly SbomComponent[]): string {
  const sorted = [...components].sort(byRef);
  const tool: SbomComponent = {
    ref: "tool",
    kind: "application",
    name: "pulumi-docs-hosting",
    version: packageVersion(),
    packageUrl: ownPackageUrl(),
  };
  const dependsOn = sorted.map(({ ref }) => ref);
  const bom = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { tools: { components: [component(tool)] }, component: component(main) },
    components: sorted.map(component),
    dependencies: [main, ...sorted]
      .sort(byRef)
      .map(({ ref }) => ({ ref, ...(ref === main.ref && dependsOn.length > 0 && { dependsOn }) })),
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

const byRef = (one: SbomComponent, other: SbomComponent): number => one.ref.localeCompare(other.ref, "en");

/** The order of the fields is that of earlier versions of this package. What is `undefined` is left out. */
function component({ ref, kind, name, version, sha256, packageUrl }: SbomComponent): object {
  return {
    type: kind,
    name,
    version,
    "bom-ref": ref,
    hashes: sha256 === undefined ? undefined : [{ alg: "SHA-256", content: sha256 }],
    purl: packageUrl,
  };
}

/** The components of a site: its base image, its bundle, and what was added. */
export function siteComponents({ bundle, base, additions = [], fetched = [] }: Origin): SbomComponent[] {
  const { format, sha256, version, domain } = bundle;
  const components: SbomComponent[] = base ? [imageComponent("base-image", base.name, base.digest)] : [];
  components.push({
    ref: "bundle",
    kind: "file",
    name: `${domain ?? "site"}/bundle.${format}`,
    version,
    sha256,
  });
  for (const { component: ref, version: ownVersion } of additions) {
    components.push({ ref, kind: "library", name: `pulumi-docs-hosting/${ref}`, version: ownVersion });
  }
  // two addresses that differ in their queries may have the same content
  const files = new Map(fetched.map((each) => [`${each.address}#${each.sha256}`, each]));
  for (const [ref, { address, sha256: ofAsset }] of files) {
    components.push({ ref, kind: "file", name: address, sha256: ofAsset });
  }
  return components;
}

/** An image. @param name as a user writes it, without a digest @param digest `sha256:…` */
export function imageComponent(ref: string, name: string, digest: string): SbomComponent {
  return {
    ref,
    kind: "container",
    name,
    version: digest,
    sha256: sha256In(digest),
    packageUrl: imagePackageUrl(name, digest),
  };
}

/** The URL of this package, see https://github.com/package-url/purl-spec. */
export function ownPackageUrl(): string {
  return `pkg:npm/pulumi-docs-hosting@${packageVersion()}`;
}

/** The URL of an image. @param name as a user writes it, without a digest @param digest `sha256:…` */
export function imagePackageUrl(name: string, digest: string): string {
  const { tag, ...repository } = parseBase(`${name}@${digest}`);
  const qualifiers = new URLSearchParams({
    repository_url: repositoryName(repository),
    ...(tag !== undefined && { tag }),
  });
  const last = basename(repository.path);
  return `pkg:oci/${encodeURIComponent(last)}@${encodeURIComponent(digest)}?${qualifiers.toString()}`;
}
