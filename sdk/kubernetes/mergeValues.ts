import * as pulumi from "@pulumi/pulumi";
import { mergeValues as mergeKnown, type Values } from "../../provider/kits/contents/mergeValues";

/**
 * Merges `ours` into the user's values. `ours` wins: groups are merged key by key at any depth, everything else (also
 * lists) is replaced. The user's groups may be inputs.
 *
 * The function inspects values only where both sides have a group. It passes on all other values unchanged. So a preview
 * shows every value except unknown ones, and a secret does not make the plain values beside it secret.
 */
export function mergeReleaseValues(given: pulumi.Input<Values>, ours: Values): pulumi.Input<Values> {
  return mergeLater(given, ours) ?? mergeKnown(given, ours, mergeLater);
}

function mergeLater(given: unknown, ours: Values): pulumi.Output<Values> | undefined {
  const isDeferred = pulumi.Output.isInstance(given) || given instanceof Promise;
  return isDeferred ? pulumi.output(given).apply((known) => mergeKnown(known, ours, mergeLater)) : undefined;
}
