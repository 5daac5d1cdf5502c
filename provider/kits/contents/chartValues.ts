import { Document, type Tags, visit } from "yaml";
import { hasFields } from "../../base/runtime/values/fields";
import type { KitImage } from "./kitImage";
import { mergeValues, type Values } from "./mergeValues";
import type { KitBundle } from "./writeImages";

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

/** Characters that JSON allows unescaped and Go's YAML parser does not, see YAML 1.2.2 §5.1. */
const NOT_IN_YAML = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Keys that every parser reads as a text: `<<` merges, `=` is a value, `0x1` a number. The library quotes `yes` and the like. */
const PLAIN_KEY = /^[A-Za-z][\w./ -]*$/;

/** Formats plain values as readable YAML 1.1, which helm reads: groups as blocks, texts in quotes. */
export function yamlText(values: Readonly<Record<string, unknown>>): string {
  const document = new Document(values, {
    version: "1.1",
    aliasDuplicateObjects: false,
    customTags: noMerging,
  });
  visit(document, {
    Scalar(place, scalar) {
      if (typeof scalar.value !== "string") return;
      if (place !== "key" || !PLAIN_KEY.test(scalar.value)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return document
    .toString({ lineWidth: 0, doubleQuotedAsJSON: true })
    .replace(NOT_IN_YAML, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Removes the library's merge type, so that `<<` is an ordinary key and can be quoted. */
function noMerging(types: Tags): Tags {
  return types.filter((type) => typeof type === "string" || type.tag !== "tag:yaml.org,2002:merge");
}
