import { parseRetryAfter, type Fault } from "../http/retryPolicy";
import { cut } from "../messages/plainText";
import { strongEtag } from "./part";

/** What was asked for. */
export interface Asked {
  /** Offset of the first byte that is wanted; from 1 on, the answer is to be a part. */
  readonly from: number;
  /** What the bytes before are of. */
  readonly etag?: string | undefined;
  readonly totalBytes?: number | undefined;
}

/** Bytes that follow those that have arrived, or are the first. */
export interface Bytes {
  readonly kind: "bytes";
  readonly from: number;
  /** Offset behind the last byte of this answer, where it is told. */
  readonly until?: number;
  /** Of the whole bundle, where it is told. */
  readonly totalBytes?: number;
  /** A strong one. */
  readonly etag?: string;
  /** The end of the answer is the end of the connection: nobody can tell it from a cut. */
  readonly endsAnyhow: boolean;
}

/** What is made of a store's answer. */
export type StoreAnswer =
  | Bytes
  /** All bytes have arrived already. */
  | { readonly kind: "complete" }
  /** What has arrived is of no use. */
  | { readonly kind: "anew"; readonly why: string }
  /** The link is not good any more; another one may be. */
  | { readonly kind: "refused" }
  /** It may be asked again. */
  | { readonly kind: "later"; readonly fault: Fault }
  | { readonly kind: "never"; readonly why: string; readonly remedy: string };

/** Statuses with which a store refuses a link that has ended, or was withdrawn. */
const REFUSED = new Set([401, 403, 410]);

const CHECK_STORE = "Check that the link is that of the bundle, and report this to the service's support.";

/**
 * Reads the head of an answer. What it says is only believed where it all fits together: bytes of two bundles are never put
 * into one.
 *
 * @param reason the store's own words, of an error
 * @param nowMs wall-clock time in milliseconds since 1970
 */
export function readStoreAnswer(
  { status, headers }: { status: number; headers: { get(name: string): string | null } },
  asked: Asked,
  reason: string,
  nowMs: number,
): StoreAnswer {
  if (status === 200 || status === 206) {
    const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
    if (coding !== "" && coding !== "identity") {
      return never(
        `answers with the Content-Encoding "${cut(coding, 40)}", though the bundle was asked for as it is`,
        "Store the bundle without a Content-Encoding; or find the proxy on the way that packs what it passes on.",
      );
    }
    return status === 200 ? whole(headers) : partial(headers, asked);
  }
  if (status === 412) return anew("the bundle is another one by now");
  if (status === 416) {
    const [, total] = /^bytes \*\/(\d{1,15})$/i.exec(headers.get("content-range") ?? "") ?? [];
    const totalBytes = total === undefined ? asked.totalBytes : Number(total);
    return asked.from > 0 && totalBytes === asked.from && totalBytes === (asked.totalBytes ?? totalBytes)
      ? { kind: "complete" }
      : anew("the store has fewer bytes than have arrived");
  }
  if (REFUSED.has(status) || (status === 400 && /expired/i.test(reason))) return { kind: "refused" };
  if (status === 404) {
    return never("has no such bundle (404)", "Export the site again: its bundle was removed from the store.");
  }
  const date = Date.parse(headers.get("date") ?? "");
  const retryAfterMs = parseRetryAfter(headers.get("retry-after"), Number.isNaN(date) ? nowMs : date);
  return { kind: "later", fault: { kind: "status", status, retryAfterMs } };
}

type Headers = { get(name: string): string | null };

function whole(headers: Headers): Bytes {
  const length = lengthOf(headers);
  return {
    kind: "bytes",
    from: 0,
    endsAnyhow: length === undefined && !/\bchunked\b/i.test(headers.get("transfer-encoding") ?? ""),
    ...(length !== undefined && { until: length, totalBytes: length }),
    ...etagOf(headers),
  };
}

function partial(headers: Headers, asked: Asked): StoreAnswer {
  const range = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/i.exec(headers.get("content-range") ?? "");
  if (!range) return anew("the store does not say which bytes it sends");
  const [from = 0, last = 0, totalBytes = 0] = range.slice(1).map(Number);
  const until = last + 1;
  if (from !== asked.from) return anew("the store sends other bytes than it was asked for");
  if (totalBytes !== (asked.totalBytes ?? totalBytes) || until <= from || until > totalBytes) {
    return anew("the store's bundle has another size by now");
  }
  if ((lengthOf(headers) ?? until - from) !== until - from) return anew("the store contradicts itself");
  const { etag } = etagOf(headers);
  // also where it has none: whether the store looked at If-Match cannot be told then
  if (etag === undefined || etag !== asked.etag) return anew("the bundle is another one by now");
  return { kind: "bytes", from, until, totalBytes, etag, endsAnyhow: false };
}

function lengthOf(headers: Headers): number | undefined {
  const length = headers.get("content-length") ?? "";
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

function etagOf(headers: Headers): { etag?: string } {
  const etag = strongEtag(headers.get("etag"));
  return etag === undefined ? {} : { etag };
}

function anew(why: string): StoreAnswer {
  return { kind: "anew", why };
}

function never(why: string, remedy = CHECK_STORE): StoreAnswer {
  return { kind: "never", why, remedy };
}
