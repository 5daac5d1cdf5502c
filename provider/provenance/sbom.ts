import { packageVersion } from "../files/packageVersion";
import type { Origin } from "./origin";
import { imagePackageUrl, ownPackageUrl } from "./packageUrl";
import { sha256In } from "./statement";

/** The type of a statement with an SBOM, see https://cyclonedx.org/specification/overview/. */
export const SBOM_TYPE = "https://cyclonedx.org/bom";

/** A component in an SBOM. */
export interface SbomPart {
  /** Identifies it within the SBOM. */
  readonly ref: string;
  readonly kind: "application" | "container" | "file" | "library";
  readonly name: string;
  readonly version?: string | undefined;
  readonly sha256?: string | undefined;
  readonly packageUrl?: string | undefined;
}

/**
 * Writes an SBOM as JSON, in the format of CycloneDX. It contains no time and no random number, so that the same content gives the
 * same bytes.
 *
 * @param main the component that consists of the others
 */
export async function sbomText(main: SbomPart, parts: readonly SbomPart[]): Promise<string> {
  // loaded when it is first used: most operations write no SBOM
  const { Enums, Models, Serialize, Spec } = await import("@cyclonedx/cyclonedx-library");
  const kinds = {
    application: Enums.ComponentType.Application,
    container: Enums.ComponentType.Container,
    file: Enums.ComponentType.File,
    library: Enums.ComponentType.Library,
  };
  const component = ({ ref, kind, name, version, sha256, packageUrl }: SbomPart) =>
    new Models.Component(kinds[kind], name, {
      bomRef: ref,
      ...(version !== undefined && { version }),
      ...(packageUrl !== undefined && { purl: packageUrl }),
      ...(sha256 !== undefined && {
        hashes: new Models.HashDictionary([[Enums.HashAlgorithm["SHA-256"], sha256]]),
      }),
    });
  const whole = component(main);
  const components = parts.map(component);
  for (const { bomRef } of components) whole.dependencies.add(bomRef);
  const tool = component({
    ref: "tool",
    kind: "application",
    name: "pulumi-docs-hosting",
    version: packageVersion(),
    packageUrl: ownPackageUrl(),
  });
  const bom = new Models.Bom({
    metadata: new Models.Metadata({
      component: whole,
      tools: new Models.Tools({ components: new Models.ComponentRepository([tool]) }),
    }),
    components: new Models.ComponentRepository(components),
  });
  const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  const text = new Serialize.JsonSerializer(factory).serialize(bom, { sortLists: true, space: 2 });
  return `${text}\n`;
}

/** The components of a site: its base image, its bundle, and the added search. */
export function siteParts({ bundle, base, search }: Origin): SbomPart[] {
  const { format, sha256, version, domain } = bundle;
  const parts: SbomPart[] = base ? [imagePart("base-image", base.name, base.digest)] : [];
  parts.push({ ref: "bundle", kind: "file", name: `${domain ?? "site"}/bundle.${format}`, version, sha256 });
  if (search) {
    const name = "pulumi-docs-hosting/offline-search";
    parts.push({ ref: "offline-search", kind: "library", name, version: search.version });
  }
  return parts;
}

/** An image. @param name as a user writes it, without a digest @param digest `sha256:…` */
export function imagePart(ref: string, name: string, digest: string): SbomPart {
  return {
    ref,
    kind: "container",
    name,
    version: digest,
    sha256: sha256In(digest),
    packageUrl: imagePackageUrl(name, digest),
  };
}
