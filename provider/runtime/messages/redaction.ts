import { truncate, spaced, withoutCommands } from "./plainText";
import { isSentinel } from "./unknown";

/** Longest text of the service that is shown to the user, in characters. */
export const SERVICE_TEXT_LIMIT = 1_000;

export const REMOVED = "[removed]";

/**
 * Makes external text safe for an error, a log line or an output: whole, visible characters, no line break, no command for
 * pipelines, nothing that looks like a key or an `Authorization` header, no query of a URL, no sentinel value of Pulumi, at
 * most {@link SERVICE_TEXT_LIMIT} characters. The adapter removes the values that `Secrets` knows when it sends the text.
 *
 * @param limit longest text to return, in characters
 */
export function redact(text: string, limit = SERVICE_TEXT_LIMIT): string {
  // far longer than the shown text, so that a link at the cut is still recognised as a whole
  const clean = spaced(truncate(text, 16 * SERVICE_TEXT_LIMIT).replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, ""))
    .replace(/\bsvc_[\w.~+/=-]*/g, REMOVED)
    .replace(/\b(bearer|basic)\s+\S+/gi, `$1 ${REMOVED}`)
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"'<>]*@/gi, `$1${REMOVED}@`)
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, `$1?${REMOVED}`)
    .trim();
  return isSentinel(clean) ? REMOVED : truncate(withoutCommands(clean), limit);
}
