// Whether a Release has changed: what is asked for differs from the state, or was asked for and no longer is. What the
// state has besides (status, resourceNames) counts for nothing, and neither do the chart's files.
import { isDeepStrictEqual } from "node:util";
import type { PropertyPath } from "../propertyPath.ts";
import type { PropertyMap } from "../propertyValues.ts";
import { isMap } from "./releaseFields.ts";

/** Without marks. Lists are compared as a whole. */
export function releaseChanges(asked: PropertyMap, wanted: PropertyMap, state: PropertyMap): PropertyPath[] {
  return [...differing(state, wanted), ...dropped(asked, wanted)];
}

function differing(state: PropertyMap, wanted: PropertyMap): PropertyPath[] {
  return Object.entries(wanted).flatMap(([key, value]) => {
    const current = state[key];
    if (isMap(current) && isMap(value)) {
      return differing(current, value).map((path) => [key, ...path]);
    }
    return isDeepStrictEqual(current, value) ? [] : [[key]];
  });
}

function dropped(asked: PropertyMap, wanted: PropertyMap): PropertyPath[] {
  return Object.entries(asked).flatMap(([key, value]) => {
    if (!(key in wanted)) return [[key]];
    const kept = wanted[key];
    return isMap(value) && isMap(kept) ? dropped(value, kept).map((path) => [key, ...path]) : [];
  });
}

/** As Helm merges values: maps into each other, anything else replaces. */
export function mergeValues(base: PropertyMap, over: PropertyMap): PropertyMap {
  const merged: PropertyMap = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    merged[key] = isMap(value) && isMap(below) ? mergeValues(below, value) : value;
  }
  return merged;
}
