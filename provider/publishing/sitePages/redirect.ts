/** Where a browser goes from a page without being asked to. */
export interface Redirect {
  /** As the page has it; empty for the page itself. */
  readonly address: string;
  readonly seconds: number;
}

/** A page that says where it is reloaded from after so many seconds is read before. */
const SLOW_SECONDS = 10;

/** Reads `<meta http-equiv="refresh" content="…">` as browsers do; undefined if they ignore it. */
export function redirectIn(content: string): Redirect | undefined {
  const [, whole, fraction, rest = ""] = /^\s*(\d*)(\.[\d.]*)?(.*)$/s.exec(content) ?? [];
  if (!whole && fraction === undefined) return undefined;
  if (!/^(?:$|[\s;,])/.test(rest)) return undefined;
  const target = rest.replace(/^[\s;,]*(?:url\s*=\s*)?/i, "");
  const [quote = ""] = target;
  const end = /["']/.test(quote) ? target.indexOf(quote, 1) : -1;
  const address = /["']/.test(quote) ? target.slice(1, end < 0 ? undefined : end) : target;
  return { address: address.trim(), seconds: Number(whole) };
}

/**
 * Whether a redirect shows another page than its own: one that only loads itself again is read like any other.
 *
 * @param isOwn whether an address below the site's root leads to the page
 */
export function leadsAway({ address, seconds }: Redirect, isOwn: (link: string) => boolean): boolean {
  if (address === "" || isOwn(address)) return false;
  // the site's host is unknown: the same path on another host is a site that has moved, but that leaves at once
  const url = /^(?:https?:)?\/\//i.test(address) ? URL.parse(address, "https://site/") : null;
  return url === null || seconds < SLOW_SECONDS || !isOwn(url.pathname);
}
