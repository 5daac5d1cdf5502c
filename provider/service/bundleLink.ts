import { isLoopback, isReadDifferently, refusedHost } from "../base/http/address";
import { malformed, toCount } from "../base/http/reply";
import type { Reply } from "../base/http/transport";
import { redact } from "../base/runtime/messages/plainText";
import { parsePointInTime } from "../base/runtime/time/pointInTime";
import { signedEnd } from "./linkEnd";

/** A presigned link to a bundle. Only the link expires: the job and its files stay, and the service can mint a new link. */
export interface BundleLink {
  /** Exactly as the service wrote it: any change would break the signature. A credential: never shown. */
  readonly url: string;
  /** When it was minted, by the service's clock: milliseconds since 1970. */
  readonly mintedAtMs: number;
  /**
   * When it expires, by the service's clock: milliseconds since 1970. The earlier end, where both the reply and the link's own signature
   * contain one. Absent if neither does.
   */
  readonly expiresAtMs?: number | undefined;
  /** What the reply says in place of `expiresAtMs`, if that had passed already: the end of the link's own signature counts then. */
  readonly wrongEndMs?: number | undefined;
  /** What the reply has in place of an end, if that is not a point in time, redacted. */
  readonly unreadEnd?: string | undefined;
  /** Size of the bundle in bytes. Absent if the service does not report it. */
  readonly sizeBytes?: number | undefined;
}

/** When a link was minted, and when it expires. */
export type LinkLife = Pick<BundleLink, "mintedAtMs" | "expiresAtMs">;

/** Longest life of a link, in milliseconds: ten years. A later end is a mistake, such as one in another unit. */
const LONGEST_LIFE_MS = 10 * 366 * 86_400_000;
const LONG_LIFE_REMEDY =
  "A link without an end is one without expiresAt. Report this to the service's support: expiresAt is a date of ISO 8601, or a number of seconds or milliseconds since 1970.";
/** Longest quote of a value, in characters. */
const QUOTE_LENGTH = 40;
/** A link with less life than this counts as expired, in milliseconds. */
export const SHORT_LIFE_MS = 2_000;

/**
 * Reads the reply of generate-bundle.
 *
 * The link becomes an output that pods fetch: the same rules hold as for downloads.
 *
 * @param policy `baseUrl` and `allowInsecure` decide whether an `http:` link is accepted, `publicStorageOnly` whether one to the
 *   user's own network
 * @throws MalformedResponseError if the link is missing or unsafe to fetch
 */
export function readBundleLink(
  { endpoint, body, dateMs, isOwnClock, secrets }: Reply,
  policy: { baseUrl: string; allowInsecure: boolean; publicStorageOnly: boolean },
): BundleLink {
  const fail = (what: string, remedy: string): never => {
    throw malformed(endpoint, what, remedy);
  };
  const report = "Report this to the service's support.";
  const url = body["bundleUrl"];
  if (typeof url !== "string" || url === "") return fail('without a "bundleUrl"', report);
  const parsed = URL.parse(url);
  if (!parsed || isReadDifferently(url)) return fail("a bundleUrl that is not an absolute URL", report);
  secrets.addLink(parsed);
  if (parsed.username || parsed.password) {
    return fail("a bundleUrl with a user name or password in it", report);
  }
  const httpAccepted = policy.allowInsecure || isLoopback(new URL(policy.baseUrl).hostname);
  if (parsed.protocol !== "https:" && !(parsed.protocol === "http:" && httpAccepted)) {
    return fail(
      `a bundleUrl that begins with ${parsed.protocol}`,
      "Only https: is accepted; http: can be permitted with the config docs-hosting:allowInsecure.",
    );
  }
  const refused = refusedHost(parsed, policy);
  if (refused !== undefined) {
    return fail(
      `a bundleUrl to ${parsed.host}, which ${refused}`,
      "Ask the service's operator why its links lead there.",
    );
  }
  const ends = {
    repliedMs: parsePointInTime(body["expiresAt"]),
    signedMs: signedEnd(parsed, dateMs),
  };
  const { endMs, isWrong } = endOf(ends, isOwnClock ? undefined : dateMs);
  if (endMs !== undefined && endMs - dateMs > LONGEST_LIFE_MS) {
    const what =
      endMs === ends.repliedMs ? `the expiresAt ${quoted(body["expiresAt"])}` : "a link whose signature ends";
    return fail(`${what}, which is more than ten years away`, LONG_LIFE_REMEDY);
  }
  const sizeBytes = toCount(body["sizeBytes"]);
  return {
    url,
    mintedAtMs: dateMs,
    sizeBytes: sizeBytes === 0 ? undefined : sizeBytes, // an archive has bytes: the service does not know its size
    ...(endMs !== undefined && { expiresAtMs: endMs }),
    ...(isWrong && { wrongEndMs: ends.repliedMs }),
    ...(ends.repliedMs === undefined && { unreadEnd: unreadEnd(body["expiresAt"]) }),
  };
}

/** The zeros of programs, which mean «no end». */
const ZERO = /^(?:0+|(?:0001|1970)-01-01.*)?$/;

function unreadEnd(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  const text = typeof value === "string" ? value.trim() : JSON.stringify(value);
  return ZERO.test(text) ? undefined : redact(text, QUOTE_LENGTH);
}

/** When the reply says that a link ends, and when the link's own signature does, where they are known. */
interface LinkEnds {
  readonly repliedMs: number | undefined;
  readonly signedMs: number | undefined;
}

/**
 * The end that counts: the earlier of the two. Only a reply whose end has passed when it is sent is wrong where the signature
 * still holds, such as a local time without its zone.
 */
function endOf({ repliedMs, signedMs }: LinkEnds, mintedAtMs: number | undefined) {
  const isWrong =
    mintedAtMs !== undefined &&
    repliedMs !== undefined &&
    signedMs !== undefined &&
    repliedMs <= mintedAtMs &&
    signedMs > mintedAtMs;
  const ends = [isWrong ? undefined : repliedMs, signedMs].filter((end) => end !== undefined);
  return { endMs: ends.length === 0 ? undefined : Math.min(...ends), isWrong };
}

function quoted(value: unknown): string {
  return redact(String(value), QUOTE_LENGTH);
}

/**
 * Whether a state has a link that dependants can use and whose renewal can be planned. Older CLIs write `null` for every secret
 * if they export a stack with a wrong passphrase.
 */
export function isStoredLink({
  bundleUrl,
  expiresAt,
  renewAfter,
}: Partial<Record<"bundleUrl" | "expiresAt" | "renewAfter", unknown>>): boolean {
  const isAddress =
    typeof bundleUrl === "string" && /^[a-z][a-z0-9+.-]*:\/\//i.test(bundleUrl) && URL.canParse(bundleUrl);
  return isAddress && [expiresAt, renewAfter].every(isTimeOrAbsent);
}

function isTimeOrAbsent(value: unknown): boolean {
  return value === undefined || (typeof value === "string" && !Number.isNaN(Date.parse(value)));
}
