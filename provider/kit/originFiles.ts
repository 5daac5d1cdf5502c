import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Origin } from "../provenance/origin";
import { imagePart, sbomText, siteParts, type SbomPart } from "../provenance/sbom";
import { slsaProvenance } from "../provenance/slsaProvenance";
import { sha256In } from "../provenance/statement";
import type { KitImage } from "./kitImage";

/** The files of a kit that tell where its content comes from. The kit's sums contain both. */
const PROVENANCE = "provenance.json";
const SBOM = "sbom.cdx.json";

/** What a kit consists of. */
interface KitParts {
  readonly origin: Omit<Origin, "base">;
  readonly images: readonly KitImage[];
  readonly chart?: { readonly name: string; readonly version: string; readonly sha256: string };
}

/** Writes the provenance and the SBOM of a kit. The same content gives the same bytes. */
export async function writeOriginFiles(kit: string, parts: KitParts): Promise<void> {
  const { origin, images } = parts;
  const [first] = images;
  const base = first?.base;
  const site = images.find(({ isSite }) => isSite);
  const { bundle } = origin;
  const subject = site
    ? { name: site.name, digest: { sha256: sha256In(site.top.digest) } }
    : { name: `bundle.${bundle.format}`, digest: { sha256: bundle.sha256 } };
  const provenance = slsaProvenance([subject], { ...origin, ...(base && { base }) });
  await writeFile(join(kit, PROVENANCE), `${JSON.stringify(provenance, undefined, 2)}\n`);
  await writeFile(join(kit, SBOM), await sbomText(mainPart(parts), partsOf(parts)));
}

function mainPart({ origin: { bundle } }: KitParts): SbomPart {
  return { ref: "kit", kind: "application", name: bundle.domain ?? "site", version: bundle.version };
}

function partsOf({ origin, images, chart }: KitParts): SbomPart[] {
  return [
    ...siteParts(origin),
    ...images.map(({ name, base, top: { digest } }): SbomPart =>
      base
        ? imagePart(`image:${name}`, base.name, base.digest)
        : { ref: "site-image", kind: "container", name, version: digest, sha256: sha256In(digest) },
    ),
    ...(chart
      ? [
          {
            ref: "chart",
            kind: "application" as const,
            name: chart.name,
            version: chart.version,
            sha256: chart.sha256,
          },
        ]
      : []),
  ];
}
