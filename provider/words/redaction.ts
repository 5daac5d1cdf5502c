import { cut, spaced, withoutCommands } from "./plainText";
import { isSentinel } from "./unknown";

/** Longest text of the service that is shown to the user, in characters. */
export const SERVICE_TEXT_LIMIT = 1_000;

const REMOVED = "[removed]";

/**
 * Makes text that came from outside fit for an error, a log line or an output: whole characters, none that nobody sees, no
 * end of a line, no command for pipelines, nothing that looks like a key or an `Authorization` header, no query of a URL, no
 * value that means something to Pulumi, at most {@link SERVICE_TEXT_LIMIT} characters.
 *
 * @param secrets values that must not appear, in plain, escaped, URL-encoded or base64 form
 * @param limit longest text to return, in characters
 */
export function redact(text: string, secrets: readonly string[] = [], limit = SERVICE_TEXT_LIMIT): string {
  // far longer than what is shown, so that a secret which straddles the cut is still seen whole
  let clean = text.slice(0, 16 * SERVICE_TEXT_LIMIT).replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "");
  clean = spaced(withoutSecrets(clean, secrets))
    .replace(/\bsvc_[\w.~+/=-]*/g, REMOVED)
    .replace(/\b(bearer|basic)\s+\S+/gi, `$1 ${REMOVED}`)
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"'<>]*@/gi, `$1${REMOVED}@`)
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, `$1?${REMOVED}`)
    .trim();
  return isSentinel(clean) ? REMOVED : cut(withoutCommands(clean), limit);
}

/** The text without these values in plain, escaped, URL-encoded or base64 form; else as it was. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.flatMap(formsOf).reduce((clean, form) => clean.replaceAll(form, REMOVED), text);
}

/** How a secret can stand in a text. */
function formsOf(secret: string): string[] {
  const urlEncoded = encodeURIComponent(secret);
  const bytes = Buffer.from(secret);
  // Within a longer base64 text, such as that of a whole header, a secret can begin at any of three places; its first and
  // last characters then depend on what is around it.
  const base64 = (["base64", "base64url"] as const).flatMap((encoding) =>
    [0, 1, 2].map((before) => {
      const text = Buffer.concat([Buffer.alloc(before), bytes])
        .toString(encoding)
        .replace(/=+$/, "");
      return text.slice(before === 0 ? 0 : before + 1, (before + bytes.length) % 3 === 0 ? undefined : -1);
    }),
  );
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    urlEncoded,
    urlEncoded.replace(/%../g, (byte) => byte.toLowerCase()),
    bytes.toString("base64"),
    ...base64,
  ].filter((form) => form.length > 3);
}
