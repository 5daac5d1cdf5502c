import { isUtf8 } from "node:buffer";
import { markedEncoding } from "../inspection/textLoads";

/** A text whose unchanged parts become the same bytes again. */
export interface SiteText {
  readonly text: string;
  readonly bytesOf: (text: string) => Buffer;
}

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads a text so that it can be changed. Of an encoding that this does not know, each byte is a character: markup, names and addresses are
 * ASCII in all of them.
 */
export function siteText(bytes: Buffer): SiteText {
  const marked = markedEncoding(bytes);
  if (marked !== undefined) {
    const isSwapped = marked === "utf-16be" && bytes.length % 2 === 0;
    if (marked === "utf-16le" || isSwapped) {
      const own = isSwapped ? Buffer.from(bytes).swap16() : bytes;
      return {
        text: own.toString("utf16le"),
        bytesOf: (text) => {
          const next = Buffer.from(text, "utf16le");
          return isSwapped ? next.swap16() : next;
        },
      };
    }
  }
  if (isUtf8(bytes)) {
    const hasMark = bytes.subarray(0, 3).equals(MARK);
    return {
      text: bytes.toString("utf8", hasMark ? 3 : 0),
      bytesOf: (text) => (hasMark ? Buffer.concat([MARK, Buffer.from(text)]) : Buffer.from(text)),
    };
  }
  return {
    text: bytes.toString("latin1"),
    // only the value of an attribute may have such a character: markup named it
    bytesOf: (text) =>
      Buffer.from(
        text.replace(/[^\0-\xff]/gu, (character) => `&#${character.codePointAt(0) ?? 0};`),
        "latin1",
      ),
  };
}
