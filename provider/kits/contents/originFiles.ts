import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256In } from "../../base/runtime/values/digest";
import {
  imageComponent,
  type Origin,
  type SbomComponent,
  sbomText,
  siteComponents,
  slsaProvenance,
} from "../../publishing/index";
import type { KitContent } from "./manifest";

/** The files of a kit that tell where its content comes from. The kit's sums contain both. */
const PROVENANCE = "provenance.json";
const SBOM = "sbom.cdx.json";

/** Writes the provenance and the SBOM of a kit. The same content gives the same bytes. */
export async function writeOriginFiles(
  kit: string,
  origin: Omit<Origin, "base">,
  { images, chart }: Pick<KitContent, "images" | "chart">,
): Promise<void> {
  const { bundle } = origin;
  const site = images.find(({ isSite }) => isSite);
  const subject = site
    ? { name: site.name, digest: { sha256: sha256In(site.top.digest) } }
    : { name: `bundle.${bundle.format}`, digest: { sha256: bundle.sha256 } };
  const provenance = slsaProvenance([subject], { ...origin, base: images[0]?.base });
  await writeFile(join(kit, PROVENANCE), `${JSON.stringify(provenance, undefined, 2)}\n`);

  const { domain = "site", version } = bundle;
  const whole: SbomComponent = { ref: "kit", kind: "application", name: domain, version };
  const components = siteComponents(origin);
  for (const { name, base, top } of images) {
    components.push(
      base
        ? imageComponent(`image:${name}`, base.name, base.digest)
        : { ref: "site-image", kind: "container", name, version: top.digest, sha256: sha256In(top.digest) },
    );
  }
  if (chart) {
    const { name, version: ofChart, sha256 } = chart;
    components.push({ ref: "chart", kind: "application", name, version: ofChart, sha256 });
  }
  await writeFile(join(kit, SBOM), sbomText(whole, components));
}
