/**
 * What Pulumi sends in previews for a value of any type that is not known yet, see `UnknownStringValue` in
 * https://github.com/pulumi/pulumi/blob/master/sdk/go/common/resource/plugin/rpc.go
 */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/**
 * Texts that Pulumi takes for values that are not known yet wherever it meets them, also in outputs: those of a string, boolean,
 * number, list, asset, archive and object, in the same file. (Its mark of secrets only counts as the name of a field, and no
 * field's name comes from the service.)
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

/** Whether a value is not known before the update runs. */
export function isUnknown(value: unknown): boolean {
  return typeof value === "string" && SENTINELS.has(value);
}

/** Whether Pulumi would take a text of others for something that is not known, also once it is written in lower case. */
export function isSentinel(text: string): boolean {
  return SENTINELS.has(text.toLowerCase());
}
