/** Values of a chart. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * Merges values into others, and wins: groups are merged key by key at any depth, everything else (also lists) is replaced. Values
 * are inspected only where both sides have a group; all others are passed on unchanged.
 *
 * @param later merges into values that are not known yet. `undefined` if they are known: then they are not a group
 */
export function mergeValues(
  others: unknown,
  values: Values,
  later: (others: unknown, values: Values) => unknown = () => undefined,
): Values {
  const all: Record<string, unknown> = isGroup(others) ? { ...others } : {};
  for (const [name, value] of Object.entries(values)) {
    const there = all[name];
    if (!isGroup(value)) all[name] = value;
    else all[name] = isGroup(there) ? mergeValues(there, value, later) : (later(there, value) ?? value);
  }
  return all;
}

/** A plain object: not a list, an output, a resource or an asset. */
function isGroup(value: unknown): value is Values {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
