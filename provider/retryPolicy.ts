/** Why an attempt failed, as far as it decides what happens next. */
export type Fault =
  /** No connection was made, so the service surely did not see the request. */
  | { kind: "unreachable"; code: string }
  /** The connection broke or the time was up: the service may have processed the request. */
  | { kind: "interrupted"; code: string }
  /** The certificate is not trusted; asking again would not help. */
  | { kind: "untrusted"; code: string }
  /** The service answered with an error status. */
  | { kind: "status"; status: number; retryAfterMs: number | undefined }
  /** Success, but not with the body that was promised. */
  | { kind: "malformed" };

/**
 * What may be sent again:
 * `read` anything that only reads; `repeatable` what the API allows to be called again (generate-bundle);
 * `start` what must not happen twice (start-job: there is no way to find a job whose id was lost).
 */
export type Repetition = "read" | "repeatable" | "start";

/** First step of the backoff, in milliseconds; doubled by each further failure. */
const BASE_DELAY_MS = 500;
/** Longest step of the backoff, in milliseconds. */
const MAX_DELAY_MS = 20_000;
/** Longest pause that a `Retry-After` header can ask for, in milliseconds. */
export const MAX_RETRY_AFTER_MS = 5 * 60_000;

/** Statuses after which the request was surely not processed: it may always be sent again. */
const REFUSED_FOR_NOW = new Set([408, 425, 429, 503]);
/** Statuses after which it may have been processed. */
const BROKEN_INSIDE = new Set([500, 502, 504]);

/** How often in a row a fault is tried again at most; without an entry, until the deadline. */
const MAX_REPEATS = { notFoundHost: 3, malformed: 5, start: 1 };

/** @returns how many times in a row this fault may be answered by another attempt */
export function allowedRepeats(fault: Fault, repetition: Repetition): number {
  switch (fault.kind) {
    case "untrusted":
      return 0;
    case "unreachable":
      return fault.code === "ENOTFOUND" ? MAX_REPEATS.notFoundHost : Infinity;
    case "interrupted":
      return repetition === "start" ? MAX_REPEATS.start : Infinity;
    case "malformed":
      return repetition === "read" ? MAX_REPEATS.malformed : 0;
    case "status":
      if (REFUSED_FOR_NOW.has(fault.status)) return Infinity;
      if (!BROKEN_INSIDE.has(fault.status)) return 0;
      return repetition === "start" ? MAX_REPEATS.start : Infinity;
  }
}

/** Whether sending a start again after this fault could start a second job. */
export function mayHaveBeenProcessed(fault: Fault): boolean {
  return (
    fault.kind === "interrupted" ||
    fault.kind === "malformed" ||
    (fault.kind === "status" && BROKEN_INSIDE.has(fault.status))
  );
}

/**
 * The pause before the next attempt: what `Retry-After` asks for, else full jitter, see
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/.
 *
 * @param failures failed attempts in a row so far, at least 1
 * @param random a number in [0, 1)
 * @returns milliseconds
 */
export function retryDelayMs(fault: Fault, failures: number, random: number): number {
  if (fault.kind === "status" && fault.retryAfterMs !== undefined) {
    return Math.min(fault.retryAfterMs, MAX_RETRY_AFTER_MS);
  }
  return random * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** Math.min(failures - 1, 16));
}

/**
 * Reads a `Retry-After` header in both its forms, see RFC 9110 §10.2.3. What cannot be understood is ignored.
 *
 * @param nowMs the service's own time, so that a wrong local clock does not matter
 */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000;
  if (!/^[a-z]{3}, /i.test(header)) return undefined;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
