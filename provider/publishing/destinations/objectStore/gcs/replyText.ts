import type { HttpReply } from "../../../../base/http/attempt";
import { parseJson } from "../../../../base/runtime/values/json";

/** The fields of a JSON reply. */
export type JsonFields = Readonly<Record<string, unknown>>;

/** The longest description that is read, in bytes: a page of a list of the longest names. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** A short reply as a text. */
export async function textField(reply: HttpReply, mostBytes: number = MAX_TEXT_BYTES): Promise<string> {
  return (await reply.beginning(mostBytes)).toString();
}

/** Whether a text is an object in JSON. */
export const isJsonObject = (text: string): boolean => /^\s*\{/.test(text) && parseJson(text) !== undefined;

export function jsonFieldsOf(text: string): JsonFields {
  try {
    return Object(JSON.parse(text)) as JsonFields;
  } catch {
    return {}; // none: what is missing is reported where it is needed
  }
}
