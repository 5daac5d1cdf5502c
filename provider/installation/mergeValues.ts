/** Values of a chart. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * Merges into values that are not known yet.
 *
 * @returns `undefined` if the values are known: then they are no group
 */
export type MergeLater = (given: unknown, ours: Values) => unknown;

/**
 * Merges `ours` into the user's values. `ours` wins: groups are merged key by key at any depth, everything else (also lists) is
 * replaced. Values are inspected only where both sides have a group; all others are passed on unchanged.
 */
export function mergeValues(given: unknown, ours: Values, later: MergeLater): Values {
  const all: Record<string, unknown> = isGroup(given) ? { ...given } : {};
  for (const [name, value] of Object.entries(ours)) {
    all[name] = isGroup(value) ? merged(all[name], value, later) : value;
  }
  return all;
}

function merged(theirs: unknown, ours: Values, later: MergeLater): unknown {
  return isGroup(theirs) ? mergeValues(theirs, ours, later) : (later(theirs, ours) ?? ours);
}

/** A plain object: not a list, an output, a resource or an asset. */
function isGroup(value: unknown): value is Values {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
