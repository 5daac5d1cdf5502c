import { markedEncoding } from "../inspection/textLoads";

/** The encoding of a page, from its byte order mark or its declaration. */
export function encodingOf(bytes: Buffer): string {
  const marked = markedEncoding(bytes);
  if (marked !== undefined) return marked;
  const [, stated = ""] =
    /<meta[^>]*?charset\s*=\s*["']?\s*([\w-]+)/i.exec(bytes.toString("latin1", 0, 1_024)) ?? [];
  try {
    return stated === "" ? "utf-8" : new TextDecoder(stated).encoding.replace(/^utf-16.*/, "utf-8");
  } catch {
    return "utf-8";
  }
}
