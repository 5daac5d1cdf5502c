import { TextDecoder } from "node:util";
import { markedEncoding } from "../inspection/textLoads";
import type { Asset } from "./asset";
import { type SiteText, siteText } from "./siteText";

/** The rule of a style sheet that names its encoding: only at its very beginning. */
const CHARSET_RULE = /^@charset "([^"]{1,40})";/;

/**
 * Reads a fetched text so that it can be changed. The server of a copy sends styles and scripts as UTF-8: those that their host sends in
 * another encoding become UTF-8. Modules have no other encoding, whatever their host says.
 */
export function assetText(bytes: Buffer, { text: kind, kind: use, charset }: Readonly<Asset>): SiteText {
  const own = siteText(bytes);
  const isStyle = kind === "css";
  const isMarked = markedEncoding(bytes) !== undefined || bytes.subarray(0, 3).toString("hex") === "efbbbf";
  if (isMarked || !(isStyle || (kind === "module" && use === "script"))) return own;
  const rule = isStyle ? CHARSET_RULE.exec(bytes.toString("latin1", 0, 60))?.[1] : undefined;
  const inRule = decoderOf(rule);
  // a rule that is read cannot be in UTF-16
  const decoder = decoderOf(charset) ?? (inRule?.encoding.startsWith("utf-16") === true ? undefined : inRule);
  const { text, bytesOf } =
    decoder === undefined || decoder.encoding === "utf-8"
      ? own
      : { text: decoder.decode(bytes), bytesOf: (next: string): Buffer => Buffer.from(next) };
  const isOther = inRule !== undefined && inRule.encoding !== "utf-8";
  return { text: isOther ? text.replace(CHARSET_RULE, '@charset "utf-8";') : text, bytesOf };
}

/** The decoder of an encoding; undefined for one that browsers do not know either. */
function decoderOf(label: string | undefined): TextDecoder | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label);
  } catch {
    return undefined;
  }
}
