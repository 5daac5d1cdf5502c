import type { RequestInit, Response } from "node-fetch";
import { sleep, type Clock } from "./clock";
import type { ServiceSettings } from "./configuration";
import type { Reporter } from "./reporter";
import type { Deadline } from "./deadline";
import { connectionFailure, refusal, type FailedAttempt } from "./failedAttempt";
import { formatDuration } from "./duration";
import { DeadlineExceededError, DocsHostingError, MalformedResponseError } from "./errors";
import { endpointOf, type Call, type Endpoint } from "./endpoint";
import { decodeText, MAX_BODY_BYTES, parseObject } from "./replyBody";
import { allowedRepeats, mayHaveBeenProcessed, retryDelayMs } from "./retryPolicy";

/** node-fetch's `fetch`, as much of it as is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Longest time one attempt may take from the first byte sent to the last received, in milliseconds. */
const ATTEMPT_TIMEOUT_MS = 30_000;
/** How long the reply to a start is waited for after Ctrl-C, in milliseconds: without it, the job could not be found again. */
const START_GRACE_MS = 1_500;

/** A successful reply whose body is a JSON object. */
export interface Reply {
  /** Method and URL of the call, for messages. */
  readonly endpoint: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** When it was sent, by the service's own clock (its `Date` header), else by ours: milliseconds since 1970. */
  readonly dateMs: number;
}

/** What every call of one operation shares. */
export interface TransportOptions {
  readonly service: ServiceSettings;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
}

/** Sends calls to the service: bearer key, time and size limits, and retries of what is safe to send again. */
export class Transport {
  /** How far this machine's clock is ahead of the service's, in milliseconds, by the last `Date` header seen. */
  clockAheadMs: number | undefined;
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /**
   * @param read takes what is needed from the reply; throws `MalformedResponseError` when it is not there
   * @throws DocsHostingError of the last attempt, or the signal's reason
   */
  async send<T>(call: Call, read: (reply: Reply) => T): Promise<T> {
    const { clock, signal, deadline, reporter } = this.#options;
    const endpoint = endpointOf(this.#options.service.baseUrl, call);
    let failures = 0;
    for (;;) {
      signal.throwIfAborted();
      const attempt = await this.#attempt(call, endpoint, read);
      if ("value" in attempt) return attempt.value;
      failures++;
      const { fault, error } = attempt;
      if (failures > allowedRepeats(fault, call.repetition)) throw error;
      const delayMs = retryDelayMs(fault, failures, clock.random());
      if (delayMs >= deadline.remainingMs()) {
        const limit = formatDuration(deadline.limitMs);
        throw new DeadlineExceededError(
          `${error.message}; the time limit of ${limit} leaves no room for another try`,
          error.remedy,
        );
      }
      if (call.repetition === "start" && mayHaveBeenProcessed(fault)) {
        reporter.warn(`${error.message}. It is sent once more; if the first one arrived, two jobs run.`);
      } else {
        reporter.progress(`${error.message}; trying again in ${Math.ceil(delayMs / 1_000)}s`);
      }
      await sleep(clock, delayMs, signal);
    }
  }

  async #attempt<T>(
    call: Call,
    endpoint: Endpoint,
    read: (reply: Reply) => T,
  ): Promise<{ value: T } | FailedAttempt> {
    const { service, fetch, clock, signal, deadline } = this.#options;
    const key = service.apiKey();
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
    try {
      const response = await fetch(endpoint.url, {
        method: call.method,
        headers: {
          authorization: `Bearer ${key}`,
          accept: "application/json",
          "user-agent": "pulumi-docs-hosting",
          ...(call.body && { "content-type": "application/json" }),
        },
        ...(call.body && { body: JSON.stringify(call.body) }),
        redirect: "manual", // the key goes to the base URL's origin and nowhere else
        size: MAX_BODY_BYTES,
        signal: limit.signal,
      });
      const text = decodeText(await response.arrayBuffer());
      const date = Date.parse(response.headers.get("date") ?? "");
      const dateMs = Number.isNaN(date) ? clock.now() : date;
      if (!Number.isNaN(date)) this.clockAheadMs = clock.now() - date;
      if (!response.ok) {
        const retryAfter = response.headers.get("retry-after");
        return refusal({ endpoint, status: response.status, text, retryAfter, dateMs, service, key });
      }
      return {
        value: read({ endpoint: endpoint.name, body: parseObject(endpoint.name, text, key), dateMs }),
      };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof MalformedResponseError) return { fault: { kind: "malformed" }, error };
      if (error instanceof DocsHostingError) throw error;
      return connectionFailure(endpoint, error);
    } finally {
      stop();
      stopGrace();
      signal.removeEventListener("abort", onAbort);
    }
  }
}
