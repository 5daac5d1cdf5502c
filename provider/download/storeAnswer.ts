import { parseRetryAfter, type Fault } from "../http/retryPolicy";
import { cut } from "../messages/plainText";
import { strongEtag } from "./part";

/** What was requested. */
export interface Asked {
  /** Offset of the first requested byte; from 1 on, the response must be partial. */
  readonly from: number;
  /** ETag of the bundle that the received bytes belong to. */
  readonly etag?: string | undefined;
  readonly totalBytes?: number | undefined;
}

/** Bytes that continue those already received, or start the bundle. */
export interface Bytes {
  readonly kind: "bytes";
  readonly from: number;
  /** Offset after the last byte of this response, if known. */
  readonly until?: number;
  /** Size of the whole bundle, if known. */
  readonly totalBytes?: number;
  /** A strong ETag. */
  readonly etag?: string;
  /** The response ends when the connection closes: that cannot be distinguished from a lost connection. */
  readonly endsAnyhow: boolean;
}

/** How a store's response is interpreted. */
export type StoreAnswer =
  | Bytes
  /** All bytes have already arrived. */
  | { readonly kind: "complete" }
  /** The received bytes are useless. */
  | { readonly kind: "anew"; readonly why: string }
  /** The link no longer works; a new one may. */
  | { readonly kind: "refused" }
  /** The request may be retried. */
  | { readonly kind: "later"; readonly fault: Fault }
  | { readonly kind: "never"; readonly why: string; readonly remedy: string };

/** Statuses with which a store refuses an expired or revoked link. */
const REFUSED = new Set([401, 403, 410]);

const CHECK_STORE = "Check that the link is that of the bundle, and report this to the service's support.";

/**
 * Interprets the status and headers of a response. It trusts them only if they are all consistent: bytes of two bundles are never
 * combined.
 *
 * @param reason the store's error message
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
  // also without an ETag: then the store may have ignored If-Match
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
