// What is wrong with inputs, as the real CLI words it.
import { goText } from "./goText.ts";
import type { PropertyMap } from "./propertyValues.ts";
import type { CheckFailure } from "./provider.ts";

export function describeFailures(
  { type, name, inputs }: { type: string; name: string; inputs: PropertyMap },
  failures: readonly CheckFailure[],
): string[] {
  return failures.map(({ property, reason }) =>
    property
      ? `${type} resource '${name}': property ${property} value ${goText(inputs[property] ?? null)} has a problem: ${reason}`
      : `${type} resource '${name}' has a problem: ${reason}`,
  );
}
