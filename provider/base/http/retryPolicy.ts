import type { DocsHostingError } from "../runtime/messages/errors";
import { parseHttpDate, parsePointInTime } from "../runtime/time/pointInTime";

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
  /** The reply of the service is not HTTP. */
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
export const MAX_RETRY_AFTER_MS: number = 5 * 60_000;

/** Shortest pause after a refusal that is about the rate of requests (429) and has no usable `Retry-After`, in milliseconds. */
export const RATE_PAUSE_MS = 1_000;

/** Statuses after which the request was certainly not processed: it may always be sent again. */
const REFUSED_FOR_NOW = new Set([408, 425, 429, 503]);
/** Statuses of servers that refuse a request for good, among those from 500 on. */
const REFUSED_FOR_GOOD = new Set([501, 505, 506, 510, 511]);

/**
 * Whether a request may have been processed after a status: every error of a server that is not a refusal. Proxies and CDNs have their
 * own ones (520 to 530 of Cloudflare, 561 of AWS, 598): nobody knows what the service behind them did.
 */
function isBrokenInside(status: number): boolean {
  return status >= 500 && !REFUSED_FOR_NOW.has(status) && !REFUSED_FOR_GOOD.has(status);
}

/** See Other: the server has processed the request, and redirects to the result, see RFC 9110 §15.4.4. */
const SEE_OTHER = 303;

function isRetried(status: number): boolean {
  return REFUSED_FOR_NOW.has(status) || isBrokenInside(status);
}

/** Maximum number of retries per call after a fault; without an entry, until the deadline. */
const MAX_REPEATS = { notFoundHost: 3, tooFewBytes: 5, notHttp: 5, malformed: 5, start: 1 };

/** Code of a reply with too few bytes: at that rate, the transfer would need too many requests. */
export const TOO_FEW_BYTES = "too few bytes";

/** Code of a host that has no address. */
const HOST_NOT_FOUND = "ENOTFOUND";

/**
 * @param isKnown whether the server has answered: then a host that is not found means a problem of the name server, not a wrong name
 * @returns maximum number of retries per call after this fault and those counted with it
 */
export function allowedRepeats(fault: Fault, repetition: Repetition, isKnown = false): number {
  const most = repeatsOf(fault, repetition, isKnown);
  return repetition === "start" && mayHaveBeenProcessed(fault) ? Math.min(most, MAX_REPEATS.start) : most;
}

function repeatsOf(fault: Fault, repetition: Repetition, isKnown: boolean): number {
  if (fault.kind === "malformed") return repetition === "read" ? MAX_REPEATS.malformed : 0;
  if (fault.kind === "notHttp") return MAX_REPEATS.notHttp;
  // other statuses of a proxy, such as 405, 407 and 501, are its last word
  if ("status" in fault) return isRetried(fault.status) ? Infinity : 0;
  if (fault.kind !== "unreachable" && fault.kind !== "interrupted") return 0;
  if (fault.code === HOST_NOT_FOUND) return isKnown ? Infinity : MAX_REPEATS.notFoundHost;
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
  if (fault.kind === "status") return isBrokenInside(fault.status) || fault.status === SEE_OTHER;
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
  const isOfRate = fault.kind === "status" && fault.status === 429;
  const backoffMs = random * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** Math.min(failures - 1, 16));
  return isOfRate ? Math.max(RATE_PAUSE_MS, backoffMs) : backoffMs;
}

/** A number of seconds above this one is a time since 1970. */
const FIRST_EPOCH_SECONDS = 1e9;

/**
 * Parses a `Retry-After` header: seconds, or a date in one of the three forms of HTTP, see RFC 9110 §10.2.3; also fractions,
 * units (`4s`, `1m30s`, `500 ms`), a duration of ISO 8601 (`PT5S`), a clock (`00:00:05`), and a time since 1970. Of a header that was sent
 * several times (`2, 2`), the longest pause counts. What follows a semicolon or is in brackets is a comment.
 *
 * @param nowMs the service's own time, so that a wrong local clock does not matter
 * @returns milliseconds, at most {@link MAX_RETRY_AFTER_MS}; `undefined` if there is none, or if it cannot be understood
 */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  const text = (header ?? "").replaceAll(/;[^,]*|\([^()]*\)|["']/g, "").trim();
  // a comma after the name of a day ends no value
  const parts = text.split(/(?<!\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*),/i);
  const pauses = parts.map((part) => pauseOf(part.trim(), nowMs)).filter((pause) => pause !== undefined);
  if (pauses.length === 0) return undefined;
  return Math.min(Math.max(0, ...pauses), MAX_RETRY_AFTER_MS);
}

function pauseOf(text: string, nowMs: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text) && Number(text) >= FIRST_EPOCH_SECONDS && Number(text) < 1e17) {
    return (parsePointInTime(text) ?? nowMs) - nowMs;
  }
  const [, hours, minutes, seconds] = /^(?:(\d{1,2}):)?(\d{1,2}):(\d\d(?:\.\d+)?)$/.exec(text) ?? [];
  if (seconds !== undefined) {
    return (Number(hours ?? 0) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  }
  const amounts = /^(?:in |P(?:0D)?T)?((?:\d+\.?\d*|\.\d+) ?[a-z]*(?: ?\d+\.?\d* ?[a-z]+)*)$/i.exec(
    text,
  )?.[1];
  if (amounts === undefined) {
    const atMs = parseHttpDate(text, nowMs) ?? parsePointInTime(text);
    return atMs === undefined ? undefined : atMs - nowMs;
  }
  let pauseMs = 0;
  for (const [, amount, unit = ""] of amounts.matchAll(/(\d+\.?\d*|\.\d+) ?([a-z]*)/gi)) {
    const unitMs = PAUSE_UNIT_MS[unit.toLowerCase() || "s"];
    if (unitMs === undefined) return undefined;
    pauseMs += Number(amount) * unitMs;
  }
  return pauseMs;
}

/** Units that services write after the number, in milliseconds. */
const PAUSE_UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  ...Object.fromEntries(["s", "sec", "secs", "second", "seconds"].map((unit) => [unit, 1_000])),
  ...Object.fromEntries(["m", "min", "mins", "minute", "minutes"].map((unit) => [unit, 60_000])),
  ...Object.fromEntries(["h", "hour", "hours"].map((unit) => [unit, 3_600_000])),
};

/** An attempt without a usable reply: the fault decides about a retry, the error is for the user. */
export interface FailedAttempt {
  readonly fault: Fault;
  readonly error: DocsHostingError;
}
