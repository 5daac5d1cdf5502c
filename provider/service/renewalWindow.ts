import { type LinkLife, SHORT_LIFE_MS } from "./bundleLink";

/** Default renewal window: this fraction of a link's life before it expires. */
const DEFAULT_SHARE = 1 / 3;
/** Largest renewal window, as a fraction of a link's life: a new link is never due at once. */
const LARGEST_SHARE = 1 / 2;
/** `Date` headers count whole seconds: a link was minted up to this much later than it seems, in milliseconds. */
const DATE_PRECISION_MS = 1_000;

/** When a link expires, and when it is due for renewal, as in the outputs: ISO 8601. Empty if its expiry is unknown. */
export interface LinkTimes {
  readonly expiresAt?: string;
  readonly renewAfter?: string;
}

/** @param renewBeforeMs see {@link renewalWindow} */
export function linkTimes(link: LinkLife, renewBeforeMs?: number): LinkTimes {
  const window = renewalWindow(link, renewBeforeMs);
  if (link.expiresAtMs === undefined || !window) return {};
  return {
    expiresAt: new Date(link.expiresAtMs).toISOString(),
    renewAfter: new Date(link.expiresAtMs - window.ms).toISOString(),
  };
}

/**
 * How long before it expires a link is renewed; `undefined` if its expiry is unknown. At most half of the link's life, so that a
 * new link is never due at once, however short its life is.
 *
 * @param renewBeforeMs the user's `renewBefore`; default: a third of the link's life
 * @returns milliseconds, and whether the user requested more than the link's life allows
 */
export function renewalWindow(
  { mintedAtMs, expiresAtMs }: LinkLife,
  renewBeforeMs?: number,
): { ms: number; isShortened: boolean } | undefined {
  if (expiresAtMs === undefined) return undefined;
  const lifeMs = Math.max(0, expiresAtMs - mintedAtMs);
  if (lifeMs < SHORT_LIFE_MS) return { ms: lifeMs, isShortened: false };
  const longestMs = (lifeMs - DATE_PRECISION_MS) * LARGEST_SHARE;
  const ms = Math.min(renewBeforeMs ?? lifeMs * DEFAULT_SHARE, longestMs);
  return { ms, isShortened: renewBeforeMs !== undefined && renewBeforeMs > ms };
}
