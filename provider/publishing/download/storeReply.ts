import { type Fault, parseRetryAfter } from "../../base/http/retryPolicy";
import { redact, truncate } from "../../base/runtime/messages/plainText";
import { parseHttpDate } from "../../base/runtime/time/pointInTime";
import { strongEtag } from "./partialDownload";

export interface RequestedRange {
  /** Offset of the first requested byte; from 1 on, the reply must be partial. */
  readonly from: number;
  /** ETag of the bundle that the received bytes belong to. */
  readonly etag?: string | undefined;
  readonly totalBytes?: number | undefined;
}

/** Bytes that continue those already received, or start the bundle. */
export interface ReceivedRange {
  readonly kind: "bytes";
  readonly from: number;
  /** Offset after the last byte of this reply, if known. */
  readonly until?: number | undefined;
  /** Size of the whole bundle, if known. */
  readonly totalBytes?: number | undefined;
  readonly etag?: string | undefined;
  /** The reply ends when the connection closes: that cannot be distinguished from a lost connection. */
  readonly endIsUnknown: boolean;
}

/** How a store's reply is interpreted. */
export type StoreReply =
  | ReceivedRange
  /** All bytes have already arrived. */
  | { readonly kind: "complete" }
  /** The received bytes are useless. */
  | { readonly kind: "restart"; readonly why: string }
  /** The link no longer works; a new one may. */
  | { readonly kind: "refused" }
  /** The request may be retried. */
  | { readonly kind: "later"; readonly fault: Fault }
  | { readonly kind: "never"; readonly why: string; readonly remedy: string };

/** Statuses with which a store refuses an expired or revoked link. */
const REFUSED = new Set([401, 403, 410]);

/**
 * Interprets the status and headers of a reply. It trusts them only if they are all consistent: bytes of two bundles are never
 * combined.
 *
 * @param reason the store's error message
 * @param nowMs wall-clock time in milliseconds since 1970
 */
export function readStoreReply(
  { status, headers }: { status: number; headers: Headers },
  requested: RequestedRange,
  reason: string,
  nowMs: number,
): StoreReply {
  if (status === 200 || status === 206) {
    const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
    if (coding !== "" && coding !== "identity") {
      return {
        kind: "never",
        why: `answers with the Content-Encoding "${truncate(coding, 40)}", but the bundle was requested without one`,
        remedy: `${STORED_WITH_CODING} Otherwise a proxy in between compresses it: find that one.`,
      };
    }
    if (isTranscoded(headers)) {
      return {
        kind: "never",
        why: "decompresses the bundle on its way, so that it is not the archive that was stored",
        remedy: STORED_WITH_CODING,
      };
    }
    return status === 200 ? whole(headers) : partial(headers, requested);
  }
  if (status === 412) return restart("the bundle has changed");
  if (status === 416) {
    const total = /^bytes \*\/(\d{1,15})$/i.exec(headers.get("content-range") ?? "")?.[1];
    const totalBytes = total === undefined ? requested.totalBytes : Number(total);
    return requested.from > 0 &&
      totalBytes === requested.from &&
      totalBytes === (requested.totalBytes ?? totalBytes)
      ? { kind: "complete" }
      : restart(
          totalBytes !== undefined && totalBytes < requested.from
            ? "the store has fewer bytes than have arrived"
            : "the store refuses to send the rest",
        );
  }
  if (REFUSED.has(status) || (status === 400 && /expired/i.test(reason))) return { kind: "refused" };
  if (status === 404) {
    return {
      kind: "never",
      why: "has no such bundle (404)",
      remedy: "Export the site again: its bundle was removed from the store.",
    };
  }
  const sentAtMs = parseHttpDate(headers.get("date") ?? "", nowMs);
  const retryAfterMs = parseRetryAfter(headers.get("retry-after"), sentAtMs ?? nowMs);
  return { kind: "later", fault: { kind: "status", status, retryAfterMs } };
}

/** An archive is stored compressed already; a Content-Encoding on the object is a mistake of the upload. */
const STORED_WITH_CODING =
  'The object in the store probably has the Content-Encoding "gzip", which an archive must not have: its operator removes it, in Google Cloud Storage with ' +
  "`gcloud storage objects update gs://BUCKET/OBJECT --clear-content-encoding`, in S3 by copying the object onto itself without one, and uploads bundles without it. Report this to the service's support.";

/**
 * Whether the store decompressed the object for this reply, see https://cloud.google.com/storage/docs/transcoding: Google's store
 * names how the object is stored, and adds a warning.
 */
function isTranscoded(headers: Headers): boolean {
  const stored = headers.get("x-goog-stored-content-encoding")?.trim().toLowerCase() ?? "";
  return !["", "identity"].includes(stored) || /^214\b.*gunzipped/i.test(headers.get("warning") ?? "");
}

type Headers = { get(name: string): string | null };

function whole(headers: Headers): ReceivedRange {
  const length = lengthOf(headers);
  return {
    kind: "bytes",
    from: 0,
    endIsUnknown: length === undefined && !/\bchunked\b/i.test(headers.get("transfer-encoding") ?? ""),
    until: length,
    totalBytes: length,
    etag: strongEtag(headers.get("etag")),
  };
}

function partial(headers: Headers, requested: RequestedRange): StoreReply {
  const range = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec(headers.get("content-range") ?? "");
  if (!range) return restart("the store does not say which bytes it sends");
  const [from = 0, last = 0, totalBytes = 0] = range.slice(1).map(Number);
  if (range[3] === "*") return restart("the store does not say how large the bundle is");
  const until = last + 1;
  if (from !== requested.from) return restart("the store sends other bytes than requested");
  if (until <= from || until > totalBytes) return restart("the store contradicts itself");
  if ((lengthOf(headers) ?? until - from) !== until - from) return restart("the store contradicts itself");
  const etag = strongEtag(headers.get("etag"));
  // this also restarts the download, because the store may have ignored If-Match
  if (etag === undefined) {
    return restart("the store sends the rest without a strong ETag, so it may be of another bundle");
  }
  if (etag !== requested.etag) return restart("the bundle has changed");
  if (totalBytes !== (requested.totalBytes ?? totalBytes)) {
    return restart("the store gives another size for the same bundle than before");
  }
  return { kind: "bytes", from, until, totalBytes, etag, endIsUnknown: false };
}

function lengthOf(headers: Headers): number | undefined {
  const length = headers.get("content-length") ?? "";
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

function restart(why: string): StoreReply {
  return { kind: "restart", why };
}

/** How many bytes of an error reply are read, and how many characters are quoted. */
export const MAX_ERROR_BYTES: number = 16 * 1024;
const QUOTE_LENGTH = 200;

/** The store's error message: code and message from the XML of S3-compatible stores, otherwise the start of the text. */
export function storeReason(text: string): string {
  const [code, message] = ["Code", "Message"].map((name) => textOf(text, name));
  // the other elements of this XML contain the signed text and the signature
  const reason =
    code || message ? [code, message].filter(Boolean).join(": ") : /^\s*</.test(text) ? "" : text;
  return redact(reason, QUOTE_LENGTH);
}

function textOf(xml: string, element: string): string {
  return new RegExp(`<${element}>([^<]*)</${element}>`, "i").exec(xml)?.[1]?.trim() ?? "";
}
