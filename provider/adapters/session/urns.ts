import type { Context } from "../../resource/context";

/** The URN of a resource, and its URN in the state if that is another one. */
export type Urns = Pick<Context, "urn" | "formerUrn">;

/** The types of the dynamic provider, in a URN. The types of the plugin have {@link PLUGIN_TYPES} in this place. */
const DYNAMIC_TYPES = "pulumi-nodejs:dynamic/docs-hosting:";
const PLUGIN_TYPES = "docs-hosting:index:";

/** The URN, and the URN in the state if the resource was renamed since. */
export function urnsOf(before: string | undefined, now: string | undefined): Urns {
  return {
    ...(now !== undefined && { urn: now }),
    ...(now !== undefined && before !== undefined && before !== now && { formerUrn: before }),
  };
}

/**
 * Whether the program renamed or moved the resource. A resource that only changed from one adapter to the other was not: its
 * state stays as it is.
 */
export function isRenamed({ urn, formerUrn }: Urns): boolean {
  return urn !== undefined && formerUrn !== undefined && ofPlugin(urn) !== ofPlugin(formerUrn);
}

/** The URN that the same resource has, or had, as a dynamic one. */
export function dynamicUrnOf(urn: string): string {
  return urn.replaceAll(PLUGIN_TYPES, DYNAMIC_TYPES);
}

function ofPlugin(urn: string): string {
  return urn.replaceAll(DYNAMIC_TYPES, PLUGIN_TYPES);
}
