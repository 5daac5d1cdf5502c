import { cut, printable } from "../messages/plainText";

/** Where a page is as long as nobody says otherwise. No host has a name that ends so (RFC 2606). */
export const HERE = "https://site.invalid/";

const HOST_HERE = new URL(HERE).host;

/** Longest address that is told, in characters. */
const LONGEST = 300;

/** What takes data from a host. `data:`, `blob:`, `about:`, `javascript:` and programs' own schemes do not. */
const LOADING = /^(?:https?|wss?|ftp):$/;

/**
 * Where an address leads when it leads to a host, without query and fragment; `undefined` when it stays in the site or loads
 * nothing. Every address with a host is elsewhere, that of the site's own domain, too: a copy that depends on it is none.
 *
 * @param base of the page, as `<base>` changes it
 */
export function elsewhere(address: string, base: string): string | undefined {
  // browsers drop the ends of lines within, and take a backslash for a slash
  if (base === HERE && !/[:\\\t\n\r]|\/\//.test(address)) return undefined;
  const scheme = /^[\0- ]*([a-z][a-z0-9+.\-\t\n\r]*:)/i
    .exec(address)?.[1]
    ?.replace(/[\t\n\r]/g, "")
    .toLowerCase();
  // without a base, `https:host` is no path beside this page, whatever its own scheme is
  const url = URL.parse(address, scheme === undefined ? base : undefined);
  if (url === null || !LOADING.test(url.protocol) || url.host === HOST_HERE) return undefined;
  return printable(cut(`${url.protocol}//${url.host}${url.pathname}`, LONGEST));
}

/** The base that a `<base>` makes: {@link HERE} when it stays in the site, or is one that browsers take no notice of. */
export function baseOf(address: string): string {
  const base = URL.parse(address, HERE);
  if (base === null || base.protocol === "data:" || base.protocol === "javascript:") return HERE;
  return base.origin === new URL(HERE).origin ? HERE : base.href;
}
