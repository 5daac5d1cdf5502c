import { COMMAND, withoutCommands } from "./pipelineCommands";
/**
 * Control characters, direction marks and other invisible characters, and every character that ends a line in a terminal,
 * in a log, or for a pipeline that looks for commands.
 */
const NOT_PRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Longest text that this process sends, in UTF-16 units: far more than any message of this package. */
const LONGEST = 16_000;

/** Cuts a text to at most `limit` UTF-16 units, never within a character, and adds an ellipsis if it was cut. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text.toWellFormed();
  const isWithinPair = /[\ud800-\udbff]/.test(text.charAt(limit - 1));
  return `${text.slice(0, isWithinPair ? limit - 1 : limit).toWellFormed()}…`;
}

/** Whether a text consists of whole, visible characters. */
export function isPrintable(text: string): boolean {
  return text.isWellFormed() && text.search(NOT_PRINTABLE) < 0;
}

/** Whether a text is printable and contains no command for pipelines. */
export function isPlain(text: string): boolean {
  return isPrintable(text) && text.search(COMMAND) < 0;
}

/** Replaces each run of invisible characters with one space. */
export function spaced(text: string): string {
  return text.replace(new RegExp(`(?:${NOT_PRINTABLE.source})+`, "gu"), " ");
}

/**
 * Makes any text safe to show: one line of whole characters, invisible ones as `\u{…}`, no command for pipelines, limited
 * length.
 */
export function printable(text: string): string {
  const visible = truncate(text, LONGEST).replace(
    NOT_PRINTABLE,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return withoutCommands(visible);
}

/** Longest text of the service that is shown to the user, in characters. */
const SERVICE_TEXT_LIMIT = 1_000;

export const REMOVED = "[removed]";

/**
 * Makes external text safe for an error, a log line or an output: whole, visible characters, no line break, no command for
 * pipelines, nothing that looks like a key or an `Authorization` header, no query of a URL, no sentinel value of Pulumi, at
 * most {@link SERVICE_TEXT_LIMIT} characters. The adapter removes the values that `Secrets` knows when it sends the text.
 *
 * @param limit longest text to return, in characters
 */
export function redact(text: string, limit: number = SERVICE_TEXT_LIMIT): string {
  // far longer than the shown text, so that a link at the cut is still recognised as a whole
  const clean = spaced(truncate(text, 16 * SERVICE_TEXT_LIMIT).replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, ""))
    .replace(/\bsvc_[\w.~+/=-]*/g, REMOVED)
    .replace(/\b(bearer|basic)\s+\S+/gi, `$1 ${REMOVED}`)
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"'<>]*@/gi, `$1${REMOVED}@`)
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, `$1?${REMOVED}`)
    .trim();
  return isSentinel(clean) ? REMOVED : truncate(withoutCommands(clean), limit);
}

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
