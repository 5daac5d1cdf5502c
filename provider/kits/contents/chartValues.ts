import { hasFields } from "../../base/runtime/values/fields";
import type { KitImage } from "./kitImage";
import { mergeValues, type Values } from "./mergeValues";
import type { KitBundle } from "./writeImages";
import { yamlText } from "./yamlText";

/**
 * Placeholder for the registry and path, which are unknown until `install.sh` sets them. The name is reserved and cannot exist.
 */
const UNKNOWN_REGISTRY = "registry.invalid/kit";

/**
 * The kit's `values.yaml`: the values that the chart needs to serve the site, overridden by the user's values. Images of the
 * kit are named by digest; where the user's values name one as `registry.invalid/kit/NAME:TAG`, its digest replaces the tag.
 */
export function chartValues(bundle: KitBundle, images: readonly KitImage[], given: Values): string {
  const site = images.find(({ isSite }) => isSite);
  const ours = {
    staticExport: {
      enabled: true,
      version: bundle.version,
      ...(bundle.jobId !== undefined && { jobId: bundle.jobId }),
    },
    // without its own image, the site is downloaded with a link that the user sets
    ...(site ? { siteImage: pinnedName(site) } : { fetch: { sha256: bundle.sha256 } }),
  };
  return yamlText(withDigests(mergeValues(ours, given), images) as Values);
}

function pinnedName({ name, top }: KitImage): string {
  return `${repositoryInKit(name)}@${top.digest}`;
}

/** The repository of an image of a kit. @param name in the kit, `NAME:TAG` */
export function repositoryInKit(name: string): string {
  return `${UNKNOWN_REGISTRY}/${name.slice(0, name.indexOf(":"))}`;
}

function withDigests(value: unknown, images: readonly KitImage[]): unknown {
  if (typeof value === "string") {
    const image = images.find(({ name }) => value === `${UNKNOWN_REGISTRY}/${name}`);
    return image ? pinnedName(image) : value;
  }
  if (Array.isArray(value)) return value.map((each) => withDigests(each, images));
  if (!hasFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withDigests(each, images)]));
}
