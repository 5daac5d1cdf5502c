/** Longest text of the service that is shown to the user, in characters. */
export const SERVICE_TEXT_LIMIT = 1_000;

const REMOVED = "[removed]";

/**
 * Makes text that came from outside fit for an error or a log line: no control or bidirectional characters, nothing
 * that looks like a key or an `Authorization` header, no query of a URL, at most {@link SERVICE_TEXT_LIMIT} characters.
 *
 * @param secrets values that must not appear, in plain, escaped, URL-encoded or base64 form
 * @param limit longest text to return, in characters
 */
export function redact(text: string, secrets: readonly string[] = [], limit = SERVICE_TEXT_LIMIT): string {
  // far longer than what is shown, so that a secret which straddles the cut is still seen whole
  let clean = text.slice(0, 16 * SERVICE_TEXT_LIMIT);
  for (const secret of secrets) {
    for (const form of formsOf(secret)) clean = clean.replaceAll(form, REMOVED);
  }
  clean = clean
    .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "")
    .replace(/[\p{Cc}\p{Cf}]+/gu, " ")
    .replace(/\bsvc_[\w.~+/=-]*/g, REMOVED)
    .replace(/\b(bearer|basic)\s+\S+/gi, `$1 ${REMOVED}`)
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"'<>]*@/gi, `$1${REMOVED}@`)
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, `$1?${REMOVED}`)
    .trim();
  return clean.length > limit ? `${clean.slice(0, limit)}…` : clean;
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
