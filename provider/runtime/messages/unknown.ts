/**
 * The value that Pulumi sends in previews for an unknown value of any type, see `UnknownStringValue` in
 * https://github.com/pulumi/pulumi/blob/master/sdk/go/common/resource/plugin/rpc.go
 */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/**
 * Strings that Pulumi interprets as unknown values everywhere, also in outputs: for a string, boolean, number, list, asset,
 * archive and object, see the same file. (Pulumi's marker of secrets has an effect only as a field name, and no field name
 * comes from the service.)
 */
const SENTINELS: ReadonlySet<string> = new Set([
  UNKNOWN,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** Whether a value is unknown until the update runs. */
export function isUnknown(value: unknown): boolean {
  return typeof value === "string" && SENTINELS.has(value);
}

/** Whether Pulumi would interpret an external text as an unknown value, also after conversion to lower case. */
export function isSentinel(text: string): boolean {
  return SENTINELS.has(text.toLowerCase());
}
