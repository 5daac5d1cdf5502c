import { redact } from "../messages/redaction";

/** How many bytes of an error response are read, and how many characters are quoted. */
export const MAX_ERROR_BYTES = 16 * 1024;
const QUOTE_LENGTH = 200;

/** The store's error message: code and message from the XML of S3-compatible stores, otherwise the start of the text. */
export function storeReason(text: string): string {
  const [code, message] = ["Code", "Message"].map((name) => textOf(text, name));
  // the other elements of this XML contain the signed text and the signature
  const reason =
    code || message ? [code, message].filter(Boolean).join(": ") : /^\s*</.test(text) ? "" : text;
  return redact(reason, QUOTE_LENGTH);
}

function textOf(xml: string, element: string): string {
  return new RegExp(`<${element}>([^<]*)</${element}>`, "i").exec(xml)?.[1]?.trim() ?? "";
}
