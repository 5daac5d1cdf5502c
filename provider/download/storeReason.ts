import type { Response } from "node-fetch";
import { redact } from "../words/redaction";

/** How much of an error is read, in bytes, and quoted, in characters. */
const MAX_ERROR_BYTES = 16 * 1024;
const QUOTE_LENGTH = 200;

/** The store's own words about an error: code and message, where it is the XML of S3 and its like, else the beginning. */
export async function storeReason(response: Response): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    if (size >= MAX_ERROR_BYTES) break;
  }
  const text = Buffer.concat(chunks).toString("utf8", 0, MAX_ERROR_BYTES);
  const [code, message] = ["Code", "Message"].map((name) => textOf(text, name));
  // the other elements of this XML repeat what was signed, and the signature
  const words = code || message ? [code, message].filter(Boolean).join(": ") : /^\s*</.test(text) ? "" : text;
  return redact(words, QUOTE_LENGTH);
}

function textOf(xml: string, element: string): string {
  return new RegExp(`<${element}>([^<]*)</${element}>`, "i").exec(xml)?.[1]?.trim() ?? "";
}
