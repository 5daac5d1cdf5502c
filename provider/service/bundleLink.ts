import { malformed, toCount } from "../http/reply";
import { isLoopback, isReadDifferently, refusedHost } from "../http/address";
import type { Reply } from "../http/transport";

/** A presigned link to a bundle. Only the link expires: the job and its files stay, and the service can mint a new link. */
export interface BundleLink {
  /** Exactly as the service wrote it: any change would break the signature. A credential: never shown. */
  readonly url: string;
  /** When it was minted, by the service's clock: milliseconds since 1970. */
  readonly mintedAtMs: number;
  /** When it expires, by the service's clock: milliseconds since 1970. Absent if the service does not report it. */
  readonly expiresAtMs?: number | undefined;
  /** Size of the bundle in bytes. Absent if the service does not report it. */
  readonly sizeBytes?: number | undefined;
}

/** When a link was minted, and when it expires. */
export type LinkLife = Pick<BundleLink, "mintedAtMs" | "expiresAtMs">;

/** The last time that ISO 8601 writes with a four-digit year: milliseconds since 1970. */
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59);
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
  { endpoint, body, dateMs, secrets }: Reply,
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
  if (parsed.username || parsed.password)
    return fail("a bundleUrl with a user name or password in it", report);
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
  const expiresAtMs = parseExpiry(body["expiresAt"]) ?? signedExpiry(parsed.searchParams);
  return {
    url,
    mintedAtMs: dateMs,
    sizeBytes: toCount(body["sizeBytes"]),
    ...(expiresAtMs !== undefined && { expiresAtMs: Math.min(expiresAtMs, LATEST_MS) }),
  };
}

/**
 * Parses `expiresAt`. The API does not specify its format: ISO 8601 (without a zone: UTC) and seconds or milliseconds since
 * 1970 are accepted.
 */
export function parseExpiry(value: unknown): number | undefined {
  if (typeof value === "number" || (typeof value === "string" && /^\d{10}(\d{3})?$/.test(value))) {
    const digits = Number(value);
    if (!Number.isFinite(digits) || digits < 1e9) return undefined;
    return digits < 1e11 ? digits * 1_000 : digits;
  }
  if (typeof value !== "string") return undefined;
  const iso =
    /^\+?(\d{4,6})(-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(\.\d+)?)?\s*(?:Z|([+-]\d\d)(?::?(\d\d))?)?$/i.exec(
      value.trim(),
    );
  if (!iso) return undefined;
  const [, year = "", day = "", time = "", seconds = "00", fraction = "", zone = "+00", zoneMinutes = "00"] =
    iso;
  if (Number(year) > 9999) return LATEST_MS;
  // a leap second counts as the second before it
  const leapless = seconds === "60" ? "59" : seconds;
  const parsed = Date.parse(`${year.slice(-4)}${day}T${time}:${leapless}${fraction}${zone}:${zoneMinutes}`);
  return Number.isNaN(parsed) ? undefined : parsed;
}

/**
 * When a link expires, from its query: X-Amz-Date (20260131T120000Z) and X-Amz-Expires (seconds) of S3-compatible
 * stores, X-Goog-… of Google's, `se` (a date) beside `sig` of Azure's.
 */
function signedExpiry(query: URLSearchParams): number | undefined {
  if (query.has("sig")) return parseExpiry(query.get("se"));
  const prefix = query.has("X-Goog-Date") ? "X-Goog" : "X-Amz";
  const date = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(query.get(`${prefix}-Date`) ?? "");
  const lifeSeconds = query.get(`${prefix}-Expires`) ?? "";
  if (!date || !/^\d{1,10}$/.test(lifeSeconds)) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = date.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) + Number(lifeSeconds) * 1_000;
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
