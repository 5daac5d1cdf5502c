import { redact } from "../messages/redaction";

/** How much of an error is read, in bytes, and quoted, in characters. */
export const MAX_ERROR_BYTES = 16 * 1024;
const QUOTE_LENGTH = 200;

/** The store's own words about an error: code and message, where it is the XML of S3 and its like, else the beginning. */
export function storeReason(text: string): string {
  const [code, message] = ["Code", "Message"].map((name) => textOf(text, name));
  // the other elements of this XML repeat what was signed, and the signature
  const words = code || message ? [code, message].filter(Boolean).join(": ") : /^\s*</.test(text) ? "" : text;
  return redact(words, QUOTE_LENGTH);
}

function textOf(xml: string, element: string): string {
  return new RegExp(`<${element}>([^<]*)</${element}>`, "i").exec(xml)?.[1]?.trim() ?? "";
}
