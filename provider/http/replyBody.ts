import { redact } from "../runtime/messages/redaction";
import { malformed } from "./malformed";
import { webPageIn } from "./webPage";

/** Largest decoded body that is read, in bytes. The service's replies are far below. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Deepest nesting of a JSON reply that is read. The service's have two levels. */
const MAX_DEPTH = 64;
/** Longest quote of a reply that is not JSON, in characters. */
export const QUOTE_LENGTH = 200;

/** Decodes strict UTF-8 without a byte order mark. `undefined` for anything else, to distinguish it from an empty reply. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** @throws MalformedResponseError unless the text is a JSON object */
export function parseObject(endpoint: string, text: string | undefined): Record<string, unknown> {
  const fail = (what: string): never => {
    throw malformed(
      endpoint,
      what,
      "Check that the base URL is that of the service, and that nothing in between (a proxy, a login page) answers in its place.",
    );
  };
  if (text === undefined) return fail("with text that is not UTF-8");
  if (text.trim() === "") return fail("with an empty reply");
  if (isTooDeep(text)) return fail(`JSON that is nested deeper than ${MAX_DEPTH} levels`);
  const value = parseJson(text);
  if (value === undefined)
    return fail(webPageIn(text) ?? `something that is not JSON: ${redact(text, QUOTE_LENGTH)}`);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return fail("JSON that is not an object");
  }
  return value as Record<string, unknown>;
}

/** @returns undefined if the text is not JSON, or nested too deep to process safely */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Counts brackets outside strings, without recursion, so that the stack cannot overflow. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') inString = !inString;
    else if (inString && character === "\\") at++;
    else if (!inString && (character === "[" || character === "{")) depth++;
    else if (!inString && (character === "]" || character === "}")) depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
