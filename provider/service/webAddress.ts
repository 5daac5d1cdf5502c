import { isPrintable } from "../messages/plainText";

/**
 * Whether programs disagree about where an address leads: the parser of the Web drops what would end a line elsewhere, adds
 * slashes that are not there, and ends the host at a `\`, so that `https://good\@evil/` is good's to it, and evil's to others.
 */
export function isReadDifferently(url: string): boolean {
  return (
    url !== url.trim() ||
    !isPrintable(url) ||
    /^https?:(?!\/\/)/i.test(url) ||
    /^https?:\/\/[^/?#]*\\/i.test(url)
  );
}
