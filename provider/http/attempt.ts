import type { RequestInit, Response } from "node-fetch";
import { AttemptConnection } from "./attemptConnection";
import type { Clock } from "../time/clock";
import { connectionFailure } from "./connectionFailure";
import type { Deadline } from "../time/deadline";
import type { Call, Endpoint } from "./endpoint";
import type { FailedAttempt } from "./failedAttempt";
import type { Origin } from "./origin";
import { decodeText, MAX_BODY_BYTES } from "./replyBody";
import { parseRetryAfter } from "./retryPolicy";

/** node-fetch's `fetch`, as much of it as is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Longest time one attempt may take from the first byte sent to the last received, in milliseconds. */
const ATTEMPT_TIMEOUT_MS = 30_000;
/** How long the reply to a start is waited for after Ctrl-C, in milliseconds: without it, the job could not be found again. */
const START_GRACE_MS = 1_500;

/** A whole answer, whatever it says. */
export interface Answer {
  readonly status: number;
  /** `undefined` when it is not UTF-8. */
  readonly text: string | undefined;
  readonly contentType?: string;
  /** When it was sent, by its `Date` header: milliseconds since 1970. */
  readonly sentAtMs?: number;
  /** Its `X-Request-Id` header; empty when there is none. */
  readonly requestId: string;
  /** What its `Retry-After` header asks for, in milliseconds. */
  readonly retryAfterMs?: number;
}

/**
 * One request and its answer, over a connection of its own and within limits of time and size.
 *
 * @throws the signal's reason
 */
export async function exchange(
  call: Call,
  endpoint: Endpoint,
  key: string,
  options: { service: Origin; fetch: Fetch; clock: Clock; signal: AbortSignal; deadline: Deadline },
): Promise<Answer | FailedAttempt> {
  const { service, fetch, clock, signal, deadline } = options;
  const limit = new AbortController();
  const cancel = (): void => {
    limit.abort();
  };
  let stopGrace = (): void => undefined;
  const onAbort = (): void => {
    if (call.repetition === "start") stopGrace = clock.after(START_GRACE_MS, cancel);
    else cancel();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  const stop = clock.after(Math.min(ATTEMPT_TIMEOUT_MS, deadline.remainingMs()), cancel);
  const connection = new AttemptConnection(endpoint.url, service.proxy, clock);
  try {
    const response = await fetch(endpoint.url, {
      method: call.method,
      headers: {
        authorization: `Bearer ${key}`,
        accept: "application/json",
        "user-agent": "pulumi-docs-hosting",
        ...(call.body && { "content-type": "application/json" }),
        ...(call.idempotencyKey !== undefined && { "idempotency-key": `"${call.idempotencyKey}"` }),
      },
      ...(call.body && { body: JSON.stringify(call.body) }),
      redirect: "manual", // the key goes to the base URL's origin and nowhere else
      size: MAX_BODY_BYTES,
      signal: limit.signal,
      agent: connection.agent,
    });
    return answerOf(response, await response.arrayBuffer(), clock);
  } catch (error) {
    signal.throwIfAborted();
    return connectionFailure(endpoint, error, connection);
  } finally {
    stop();
    stopGrace();
    signal.removeEventListener("abort", onAbort);
    connection.close();
  }
}

function answerOf({ status, headers }: Response, body: ArrayBuffer, clock: Clock): Answer {
  const contentType = headers.get("content-type");
  const date = Date.parse(headers.get("date") ?? "");
  const sentAtMs = Number.isNaN(date) ? undefined : date;
  const retryAfterMs = parseRetryAfter(headers.get("retry-after"), sentAtMs ?? clock.now());
  return {
    status,
    text: decodeText(body),
    requestId: headers.get("x-request-id") ?? "",
    ...(contentType !== null && { contentType }),
    ...(sentAtMs !== undefined && { sentAtMs }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}
