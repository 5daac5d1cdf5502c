/** An attribute that has an address, or may have one for a script (`data-src`). */
const ATTRIBUTE =
  /[\s"'/](?:[\w.-]+[:-])?(href|src|srcset|imagesrcset|data|poster|action|formaction|background|manifest)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;
/** `./` and `../` in a text of a script or of another attribute, and any address of a style that does not begin with `/`. */
const IN_TEXT = /["'(=]\s*\.{1,2}\/|\burl\(\s*["']?(?![#/"')\s]|[a-z][a-z0-9+.-]*:)/i;
/** An address of a style sheet (`@import`), of the page that a page leads on to (`0; url=…`, `location.replace`), if it is relative. */
const LED =
  /(?:@import\s+["']|;\s*url\s*=\s*["']?|\blocation(?:\.href)?\s*=\s*["'`]|\blocation\.(?:replace|assign)\(\s*["'`])(?![#?/\\"'`\s]|[a-z][a-z0-9+.-]*:)/i;
/** A base that does not depend on the page's own address. */
const FIXED_BASE = /<base\b[^>]*\bhref\s*=\s*["']?\s*(?:\/|[a-z][a-z0-9+.-]*:)/i;

/**
 * Whether a page has an address that leads elsewhere if the page is served at another depth. A text that only looks like one also
 * counts: whoever asks must not need the contrary.
 */
export function hasRelativeAddress(bytes: Buffer): boolean {
  const isUtf16 = bytes[0] === 0xff || bytes[0] === 0xfe;
  const html = bytes.toString(isUtf16 ? "utf16le" : "latin1");
  if (FIXED_BASE.test(html)) return false;
  if (IN_TEXT.test(html) || LED.test(html)) return true;
  for (const [, name = "", one, other, bare] of html.matchAll(ATTRIBUTE)) {
    const value = one ?? other ?? bare ?? "";
    const addresses = /srcset$/i.test(name) ? value.split(",") : [value];
    if (addresses.some(isRelative)) return true;
  }
  return false;
}

function isRelative(address: string): boolean {
  const text = address.trim();
  // a fragment or a query leads to the page itself
  return text !== "" && !/^(?:[#?/\\]|[a-z][a-z0-9+.-]*:)/i.test(text);
}
