import { isShort, type BundleLink } from "./bundleLink";

/** When a link is renewed unless the user says so, counted from its end: this part of its life. */
const DEFAULT_PART = 1 / 3;
/** At most this part of its life, so that a fresh link is never due at once. */
const LARGEST_PART = 1 / 2;
/** `Date` headers count whole seconds: a link was minted up to this much later than it seems, in milliseconds. */
const DATE_PRECISION_MS = 1_000;

/** How long before its end a link is renewed. */
export interface RenewalWindow {
  /** Milliseconds. */
  readonly ms: number;
  /** The user asked for more than the link's life allows. */
  readonly isShortened: boolean;
}

/** When a link ends, and from when on it is renewed, as outputs have it: ISO 8601. Empty where its end is not known. */
export interface LinkTimes {
  readonly expiresAt?: string;
  readonly renewAfter?: string;
}

/** @param renewBeforeMs see {@link renewalWindow} */
export function linkTimes(link: Omit<BundleLink, "url">, renewBeforeMs?: number): LinkTimes {
  const window = renewalWindow(link, renewBeforeMs);
  if (link.expiresAtMs === undefined || !window) return {};
  return {
    expiresAt: new Date(link.expiresAtMs).toISOString(),
    renewAfter: new Date(link.expiresAtMs - window.ms).toISOString(),
  };
}

/**
 * When a link should be renewed, counted from its end; `undefined` when that is not known. At most half of the link's
 * life, so that a fresh link is never due at once, however short it lives.
 *
 * @param renewBeforeMs the user's `renewBefore`; default: a third of the link's life
 */
export function renewalWindow(
  { mintedAtMs, expiresAtMs }: Omit<BundleLink, "url">,
  renewBeforeMs?: number,
): RenewalWindow | undefined {
  if (expiresAtMs === undefined) return undefined;
  const lifeMs = Math.max(0, expiresAtMs - mintedAtMs);
  if (isShort(lifeMs)) return { ms: lifeMs, isShortened: false };
  const longestMs = (lifeMs - DATE_PRECISION_MS) * LARGEST_PART;
  const ms = Math.min(renewBeforeMs ?? lifeMs * DEFAULT_PART, longestMs);
  return { ms, isShortened: renewBeforeMs !== undefined && renewBeforeMs > ms };
}
