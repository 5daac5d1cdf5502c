import { isPrintable } from "../runtime/messages/plainText";

/**
 * Whether programs disagree about the host of an address. The WHATWG URL parser drops line breaks, adds missing slashes, and ends
 * the host at a `\`: for it, the host of `https://good\@evil/` is good, and for other programs evil. `https:///evil/` has no host.
 */
export function isReadDifferently(url: string): boolean {
  return (
    url !== url.trim() ||
    !isPrintable(url) ||
    /^https?:(?!\/\/[^/\\])/i.test(url) ||
    /^https?:\/\/[^/?#]*\\/i.test(url)
  );
}
