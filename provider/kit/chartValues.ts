import type { KitBundle } from "./buildSiteImage";
import type { KitImage } from "./kitImage";
import { yamlText } from "./yamlText";

/** Stands for the registry and path that nobody knows yet: `install.sh` puts the real one there. The name is one that nobody can have. */
export const UNKNOWN_REGISTRY = "registry.invalid/kit";

type Values = Readonly<Record<string, unknown>>;

/**
 * `values.yaml` of a kit: what the chart needs to serve the site, with the user's own values above it. Images of the kit are named by
 * digest; where the user's values name one as `registry.invalid/kit/NAME:TAG`, its digest takes the place of the tag.
 */
export function chartValues(bundle: KitBundle, images: readonly KitImage[], given: Values): string {
  const site = images.find(({ isSite }) => isSite);
  const ours = {
    staticExport: {
      enabled: true,
      version: bundle.version,
      ...(bundle.jobId !== undefined && { jobId: bundle.jobId }),
    },
    // without an image of its own the site is fetched: by a link that is given there
    ...(site ? { siteImage: pinnedName(site) } : { fetch: { sha256: bundle.sha256 } }),
  };
  return yamlText(withDigests(merged(ours, given), images) as Values);
}

function pinnedName({ name, top }: KitImage): string {
  return `${UNKNOWN_REGISTRY}/${name.slice(0, name.indexOf(":"))}@${top.digest}`;
}

/** Groups are merged key by key at any depth, everything else (lists, too) is the user's. */
function merged(ours: Values, given: Values): Values {
  const all: Record<string, unknown> = { ...ours };
  for (const [name, value] of Object.entries(given)) {
    const there = all[name];
    all[name] = isGroup(there) && isGroup(value) ? merged(there, value) : value;
  }
  return all;
}

function withDigests(value: unknown, images: readonly KitImage[]): unknown {
  if (typeof value === "string") {
    const image = images.find(({ name }) => value === `${UNKNOWN_REGISTRY}/${name}`);
    return image ? pinnedName(image) : value;
  }
  if (Array.isArray(value)) return value.map((each) => withDigests(each, images));
  if (!isGroup(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withDigests(each, images)]));
}

function isGroup(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
