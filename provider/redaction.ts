/** Longest text of the service that is shown to the user, in characters. */
export const SERVICE_TEXT_LIMIT = 1_000;

const REMOVED = "[removed]";

/**
 * Makes text that came from outside fit for an error or a log line: no control or bidirectional characters, nothing
 * that looks like a key or an `Authorization` header, no query of a URL, at most {@link SERVICE_TEXT_LIMIT} characters.
 *
 * @param secrets values that must not appear, in plain, base64 or URL-encoded form
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  // far longer than what is shown, so that a secret which straddles the cut is still seen whole
  let clean = text.slice(0, 16 * SERVICE_TEXT_LIMIT);
  for (const secret of secrets.filter((s) => s.length > 0)) {
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")]) {
      clean = clean.replaceAll(form, REMOVED);
    }
  }
  clean = clean
    .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "")
    .replace(/[\p{Cc}\p{Cf}]+/gu, " ")
    .replace(/\bsvc_[\w.~+/=-]*/g, REMOVED)
    .replace(/\b(bearer|basic)\s+\S+/gi, `$1 ${REMOVED}`)
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"'<>]*@/gi, `$1${REMOVED}@`)
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, `$1?${REMOVED}`)
    .trim();
  return clean.length > SERVICE_TEXT_LIMIT ? `${clean.slice(0, SERVICE_TEXT_LIMIT)}…` : clean;
}
