import { cut, printable } from "../messages/plainText";

/** The base URL of a page without `<base>`. No host can have this name (RFC 2606). */
export const HERE = "https://site.invalid/";

const HOST_HERE = new URL(HERE).host;

/** Longest reported address, in characters. */
const LONGEST = 300;

/** Schemes that load data from a host. `data:`, `blob:`, `about:`, `javascript:` and application schemes do not. */
const LOADING = /^(?:https?|wss?|ftp):$/;

/**
 * The external address that an address refers to, without query and fragment; `undefined` when it stays in the site or loads
 * nothing. Every address with a host is external, even on the site's own domain: a copy must not depend on it.
 *
 * @param base of the page, as `<base>` changes it
 */
export function elsewhere(address: string, base: string): string | undefined {
  // browsers remove line breaks, and read a backslash as a slash
  if (base === HERE && !/[:\\\t\n\r]|\/\//.test(address)) return undefined;
  const scheme = /^[\0- ]*([a-z][a-z0-9+.\-\t\n\r]*:)/i
    .exec(address)?.[1]
    ?.replace(/[\t\n\r]/g, "")
    .toLowerCase();
  // without a base, `https:host` is not a path relative to the page
  const url = URL.parse(address, scheme === undefined ? base : undefined);
  if (url === null || !LOADING.test(url.protocol) || url.host === HOST_HERE) return undefined;
  return printable(cut(`${url.protocol}//${url.host}${url.pathname}`, LONGEST));
}

/** The base URL that a `<base>` sets: {@link HERE} when it stays in the site, or when browsers ignore it. */
export function baseOf(address: string): string {
  const base = URL.parse(address, HERE);
  if (base === null || base.protocol === "data:" || base.protocol === "javascript:") return HERE;
  return base.origin === new URL(HERE).origin ? HERE : base.href;
}
