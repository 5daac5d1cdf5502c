import { isUtf8 } from "node:buffer";
import { MalformedResponseError } from "../runtime/messages/errors";
import { redact } from "../runtime/messages/plainText";
import { isTooDeep, MOST_LEVELS, parseJson } from "../runtime/values/json";

/** The remedy for a reply that may come from another program. */
const CHECK_BASE_URL =
  "Check that the base URL is that of the service; if it is, report this to the service's support.";

/**
 * The error for a reply that does not match the API.
 *
 * @param endpoint method and URL
 * @param what the text after «answered»: `without a "status"`
 * @param remedy what the user should do
 */
export function malformed(
  endpoint: string,
  what: string,
  remedy: string = CHECK_BASE_URL,
): MalformedResponseError {
  return new MalformedResponseError(`${endpoint} answered ${what}`, remedy);
}

/** Largest decoded body that is read, in bytes. The service's replies are far below. */
export const MAX_BODY_BYTES: number = 1024 * 1024;
/** Longest quote of a reply that is not JSON, in characters. */
export const QUOTE_LENGTH = 200;

/** Decodes strict UTF-8 without a byte order mark. `undefined` for anything else, to distinguish it from an empty reply. */
export function decodeText(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined;
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
  if (isTooDeep(text)) return fail(`JSON that is nested deeper than ${MOST_LEVELS} levels`);
  const value = parseJson(text);
  if (value === undefined) {
    return fail(webPageIn(text) ?? `something that is not JSON: ${redact(text, QUOTE_LENGTH)}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return fail("JSON that is not an object");
  }
  return value as Record<string, unknown>;
}

// Numbers in replies of the service; the API does not specify their format.

/** Reads a finite number, written as a number or as text, with or without a percent sign. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === "string") {
    const digits = value.replace(/%$/, "").trim();
    return digits === "" ? undefined : toNumber(Number(digits));
  }
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Reads a count: a whole, non-negative number. */
export function toCount(value: unknown): number | undefined {
  const number = toNumber(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** Longest title that is shown, in characters. */
const TITLE_LENGTH = 100;

/**
 * The name of a web page that answered in place of an API: `a web page with the title "Log in"`. `undefined` for any other text.
 * Its source is never shown: nobody can read it in an error.
 */
export function webPageIn(text: string): string | undefined {
  const start = text.slice(0, 4_000);
  if (
    !/^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^]*?-->\s*)*<(?:!doctype\s+html|html|head|title|body)\b/i.test(start)
  ) {
    return undefined;
  }
  const [, title = ""] = /<title\b[^>]*>([^<]*)/i.exec(text.slice(0, 64_000)) ?? [];
  const shown = redact(withoutEntities(title).replace(/\s+/g, " "), TITLE_LENGTH);
  return shown === "" ? "a web page" : `a web page with the title ${JSON.stringify(shown)}`;
}

/** The entities that titles contain, by name. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "],
]);

/** Other entities stay as they are. */
function withoutEntities(text: string): string {
  return text
    .replace(/&#(\d{1,6});/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(\w+);/g, (entity, name: string) => ENTITIES.get(name) ?? entity);
}
