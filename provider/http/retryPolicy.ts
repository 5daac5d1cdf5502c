import type { DocsHostingError } from "../runtime/messages/errors";

/** Why an attempt failed. The fault decides about a retry. */
export type Fault =
  /** No connection was made, or TLS was interrupted, so the service certainly did not receive the request. */
  | { kind: "unreachable"; code: string }
  /** The connection broke or timed out: the service may have processed the request. */
  | { kind: "interrupted"; code: string }
  /** The certificate is not trusted; a retry would not help. */
  | { kind: "untrusted"; code: string }
  /** The proxy did not connect to the service. */
  | { kind: "refusedByProxy"; status: number }
  /** The answer of the service is not HTTP. */
  | { kind: "notHttp" }
  /** The service answered with an error status. */
  | { kind: "status"; status: number; retryAfterMs: number | undefined }
  /** Success, but the body does not match the API. */
  | { kind: "malformed" }
  /** Headers or body are too large. */
  | { kind: "oversized" };

/**
 * Whether a request may be sent again:
 * `read`: a request that only reads; `repeatable`: a call that the API allows to repeat (generate-bundle);
 * `start`: a call that must not happen twice (start-job: a job with an unknown id cannot be found).
 */
export type Repetition = "read" | "repeatable" | "start";

/** First step of the backoff, in milliseconds; doubled by each further failure. */
const BASE_DELAY_MS = 500;
/** Longest step of the backoff, in milliseconds. */
const MAX_DELAY_MS = 20_000;
/** Longest pause that a `Retry-After` header can request, in milliseconds. */
export const MAX_RETRY_AFTER_MS = 5 * 60_000;

/** Statuses after which the request was certainly not processed: it may always be sent again. */
const REFUSED_FOR_NOW = new Set([408, 425, 429, 503]);
/** Statuses after which it may have been processed. */
const BROKEN_INSIDE = new Set([500, 502, 504]);
const RETRIED = new Set([...REFUSED_FOR_NOW, ...BROKEN_INSIDE]);

/** Maximum number of retries per call after a fault; without an entry, until the deadline. */
const MAX_REPEATS = { notFoundHost: 3, tooFewBytes: 5, notHttp: 5, malformed: 5, start: 1 };

/** Code of an answer with too few bytes: at that rate, the transfer would need too many requests. */
export const TOO_FEW_BYTES = "too few bytes";

/** @returns maximum number of retries per call after this fault and those counted with it */
export function allowedRepeats(fault: Fault, repetition: Repetition): number {
  const most = repeatsOf(fault, repetition);
  return repetition === "start" && mayHaveBeenProcessed(fault) ? Math.min(most, MAX_REPEATS.start) : most;
}

function repeatsOf(fault: Fault, repetition: Repetition): number {
  if (fault.kind === "malformed") return repetition === "read" ? MAX_REPEATS.malformed : 0;
  if (fault.kind === "notHttp") return MAX_REPEATS.notHttp;
  // other statuses of a proxy, such as 405, 407 and 501, are its last word
  if ("status" in fault) return RETRIED.has(fault.status) ? Infinity : 0;
  if (fault.kind !== "unreachable" && fault.kind !== "interrupted") return 0;
  if (fault.code === "ENOTFOUND") return MAX_REPEATS.notFoundHost;
  if (fault.code === TOO_FEW_BYTES) return MAX_REPEATS.tooFewBytes;
  return /^(EPROTO|ERR_SSL_|HPE_)/.test(fault.code) ? MAX_REPEATS.notHttp : Infinity;
}

/** The key under which a fault is counted. All faults after which a start may have been processed count together. */
export function countedAs(fault: Fault, repetition: Repetition): string {
  if (repetition === "start" && mayHaveBeenProcessed(fault)) return "of unknown fate";
  return "code" in fault ? `${fault.kind} ${fault.code}` : fault.kind;
}

/** Whether sending a start again after this fault could start a second job. */
export function mayHaveBeenProcessed(fault: Fault): boolean {
  if (fault.kind === "status") return BROKEN_INSIDE.has(fault.status);
  return ["interrupted", "notHttp", "malformed", "oversized"].includes(fault.kind);
}

/**
 * The pause before the next attempt: the value of `Retry-After`, otherwise full jitter, see
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/.
 *
 * @param failures failed attempts of the call so far, at least 1
 * @param random a number in [0, 1)
 * @returns milliseconds
 */
export function retryDelayMs(fault: Fault, failures: number, random: number): number {
  if (fault.kind === "status" && fault.retryAfterMs !== undefined) return fault.retryAfterMs;
  return random * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** Math.min(failures - 1, 16));
}

/**
 * Parses a `Retry-After` header in both its forms, see RFC 9110 §10.2.3. Malformed values are ignored.
 *
 * @param nowMs the service's own time, so that a wrong local clock does not matter
 * @returns milliseconds, at most {@link MAX_RETRY_AFTER_MS}
 */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const delayMs = /^\d+$/.test(header)
    ? Number(header) * 1_000
    : /^[a-z]{3}, /i.test(header)
      ? Date.parse(header) - nowMs
      : NaN;
  return Number.isNaN(delayMs) ? undefined : Math.min(Math.max(0, delayMs), MAX_RETRY_AFTER_MS);
}

/** An attempt without a usable reply: the fault decides about a retry, the error is for the user. */
export interface FailedAttempt {
  readonly fault: Fault;
  readonly error: DocsHostingError;
}
