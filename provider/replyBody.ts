import { MalformedResponseError } from "./errors";
import { redact } from "./redaction";

/** Largest decoded body that is read, in bytes. The replies of `spec.md` are far below. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** How much of a reply that is not JSON is quoted, in characters. */
export const QUOTE_LENGTH = 200;

/** Strict UTF-8 without a byte order mark; anything else is told apart from an empty reply. */
export function decodeText(bytes: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** @throws MalformedResponseError unless the text is a JSON object */
export function parseObject(
  endpoint: string,
  text: string | undefined,
  key: string,
): Record<string, unknown> {
  const fail = (what: string): never => {
    throw new MalformedResponseError(
      `${endpoint} answered ${what}`,
      "Check that the base URL is that of the service, and that nothing in between (a proxy, a login page) answers for it.",
    );
  };
  if (text === undefined) return fail("with text that is not UTF-8");
  if (text.trim() === "") return fail("with an empty reply");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail(`something that is not JSON: ${redact(text.slice(0, QUOTE_LENGTH), [key])}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return fail("JSON that is not an object");
  }
  return value as Record<string, unknown>;
}
