import * as pulumi from "@pulumi/pulumi";

type Values = Readonly<Record<string, unknown>>;

/**
 * Merges `ours` into the user's values. `ours` wins: groups are merged key by key at any depth, everything else (also
 * lists) is replaced. The user's groups may be inputs.
 *
 * The function inspects values only where both sides have a group. It passes on all other values unchanged. So a preview
 * shows every value except unknown ones, and a secret does not make the plain values beside it secret.
 */
export function mergeValues(given: pulumi.Input<Values>, ours: Values): pulumi.Input<Values> {
  if (isDeferred(given)) return pulumi.output(given).apply((known) => merged(known, ours));
  return merged(given, ours);
}

function merged(given: unknown, ours: Values): Values {
  const all: Record<string, unknown> = isGroup(given) ? { ...given } : {};
  for (const [name, value] of Object.entries(ours)) {
    const theirs = all[name];
    all[name] =
      isGroup(value) && (isGroup(theirs) || isDeferred(theirs))
        ? mergeValues(theirs as pulumi.Input<Values>, value)
        : value;
  }
  return all;
}

/** An output or a promise. */
function isDeferred(value: unknown): boolean {
  return pulumi.Output.isInstance(value) || value instanceof Promise;
}

/** A plain object: not a list, an output, a resource or an asset. */
function isGroup(value: unknown): value is Values {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
