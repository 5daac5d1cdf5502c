import { cut, spaced, withoutCommands } from "./plainText";
import { isSentinel } from "./unknown";

/** Longest text of the service that is shown to the user, in characters. */
export const SERVICE_TEXT_LIMIT = 1_000;

/** Stands where something was removed. */
export const REMOVED = "[removed]";

/**
 * Makes text that came from outside fit for an error, a log line or an output: whole characters, none that nobody sees, no
 * end of a line, no command for pipelines, nothing that looks like a key or an `Authorization` header, no query of a URL, no
 * value that means something to Pulumi, at most {@link SERVICE_TEXT_LIMIT} characters. The values that `Secrets` knows are
 * removed where the text leaves.
 *
 * @param limit longest text to return, in characters
 */
export function redact(text: string, limit = SERVICE_TEXT_LIMIT): string {
  // far longer than what is shown, so that a link which straddles the cut is still seen whole
  const clean = spaced(cut(text, 16 * SERVICE_TEXT_LIMIT).replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, ""))
    .replace(/\bsvc_[\w.~+/=-]*/g, REMOVED)
    .replace(/\b(bearer|basic)\s+\S+/gi, `$1 ${REMOVED}`)
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"'<>]*@/gi, `$1${REMOVED}@`)
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, `$1?${REMOVED}`)
    .trim();
  return isSentinel(clean) ? REMOVED : cut(withoutCommands(clean), limit);
}
