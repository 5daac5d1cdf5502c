import { printable, truncate } from "../../base/runtime/messages/plainText";

/** The base URL of a page without `<base>`. No host can have this name (RFC 2606). */
export const SITE_BASE = "https://site.invalid/";

/** The host of {@link SITE_BASE}. */
export const SITE_HOST: string = new URL(SITE_BASE).host;

/** Longest reported address, in characters. */
const LONGEST = 300;

/** Schemes that load data from a host. `data:`, `blob:`, `about:`, `javascript:` and application schemes do not. */
const LOADING_SCHEME = /^(?:https?|wss?|ftp):$/;

/**
 * The external address that an address refers to, without query and fragment; `undefined` when it stays in the site or loads
 * nothing. Every address with a host is external, even on the site's own domain: a copy must not depend on it.
 *
 * @param base of the page, as `<base>` changes it
 */
export function externalAddress(address: string, base: string): string | undefined {
  // browsers remove line breaks, and read a backslash as a slash
  if (base === SITE_BASE && !/[:\\\t\n\r]|\/\//.test(address)) return undefined;
  const scheme = /^[\0- ]*([a-z][a-z0-9+.\-\t\n\r]*:)/i
    .exec(address)?.[1]
    ?.replace(/[\t\n\r]/g, "")
    .toLowerCase();
  // without a base, `https:host` is not a path relative to the page
  const url = URL.parse(address, scheme === undefined ? base : undefined);
  if (url === null || !LOADING_SCHEME.test(url.protocol) || url.host === SITE_HOST) return undefined;
  return printable(truncate(`${url.protocol}//${url.host}${url.pathname}`, LONGEST));
}

/** An address without its percent codes; undefined if they are not text. */
export function decoded(address: string): string | undefined {
  try {
    return decodeURI(address);
  } catch {
    return undefined;
  }
}

/** The base URL that a `<base>` sets: {@link SITE_BASE} when it stays in the site, or when browsers ignore it. */
export function baseUrlOf(address: string): string {
  const base = URL.parse(address, SITE_BASE);
  if (base === null || base.protocol === "data:" || base.protocol === "javascript:") return SITE_BASE;
  return base.origin === new URL(SITE_BASE).origin ? SITE_BASE : base.href;
}
