import { MalformedResponseError } from "../runtime/messages/errors";
import { redact } from "../runtime/messages/plainText";
import type { Secrets } from "../runtime/messages/secrets";
import type { Tracer } from "../runtime/tracing/tracer";
import { attempt, type NetworkContext, type ReadReply, readReply } from "./attempt";
import { type Call, type Endpoint, endpointOf, type ServiceAccess } from "./endpoint";
import type { Pacer, Pacers } from "./pacer";
import { refusal } from "./refusal";
import { parseObject, QUOTE_LENGTH } from "./reply";
import { type Peer, Retries } from "./retries";
import { type FailedAttempt, mayHaveBeenProcessed } from "./retryPolicy";

/** A successful reply whose body is a JSON object. */
export interface Reply {
  /** Method and URL of the call, for messages. */
  readonly endpoint: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** When it was sent, by the service's clock from `Date` headers, otherwise by this machine's: milliseconds since 1970. */
  readonly dateMs: number;
  /** Whether that is this machine's time, because no reply had a `Date` header. @default false */
  readonly isOwnClock?: boolean;
  /** The pause that the service requests (`Retry-After`), in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Whether it names another address (`Location`). @default false */
  readonly hasLocation?: boolean;
  /** Values that must not be stored. The adapter removes them from texts that are only shown. */
  readonly secrets: Secrets;
}

/** The parts that all calls of one operation share. */
export interface TransportOptions extends NetworkContext {
  readonly service: ServiceAccess;
  /** Limits the rate of requests, for all operations of the process. */
  readonly pacers: Pacers;
  readonly tracer: Tracer;
}

/** Longest time one attempt may take from the first byte sent to the last received, in milliseconds. */
const ATTEMPT_LIMIT_MS = 30_000;
/** How long to wait for the reply to a start after Ctrl-C, in milliseconds: without the reply, the job is lost. */
const START_GRACE_MS = 1_500;

/** How long a request waits for its turn before the wait is reported, in milliseconds. */
const REPORT_AFTER_MS = 5_000;

/** Sends calls to the service, with the bearer key, time and size limits, and retries of calls that are safe to repeat. */
export class Transport {
  /** How far this machine's clock is ahead of the service's, in milliseconds, by the last `Date` header seen. */
  clockAheadMs: number | undefined;
  /** Whether the service may have received a start that it did not answer usably. */
  mayHaveStarted = false;
  readonly #peer: Peer = { name: "the service", isKnown: false, wasAnswered: false };
  /** Whether a wrong `Content-Type` was reported: once is enough. */
  #warnedOfType = false;
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /**
   * @param read extracts the needed values from the reply; throws `MalformedResponseError` if one is missing
   * @throws DocsHostingError of the last attempt, or the signal's reason
   */
  async send<T>(call: Call, read: (reply: Reply) => T): Promise<T> {
    const { service, pacers, secrets, signal } = this.#options;
    const endpoint = endpointOf(service.baseUrl, call);
    const { name } = endpoint;
    const retries = new Retries(this.#peer, this.#options, { name, repetition: call.repetition });
    for (let repeats = 0; ; repeats++) {
      signal.throwIfAborted();
      const key = service.apiKey();
      secrets.add(key);
      const pacer = pacers.of(service.baseUrl, key);
      await this.#turn(pacer, endpoint, repeats > 0);
      const { mayHaveStarted } = this;
      if (call.repetition === "start") this.mayHaveStarted = true; // until its fate is known
      let outcome: { value: T } | FailedAttempt | undefined;
      try {
        outcome = await this.#attempt(call, endpoint, { key, repeats }, read);
      } finally {
        pacer.ended(outcome);
      }
      if ("value" in outcome || !mayHaveBeenProcessed(outcome.fault)) this.mayHaveStarted = mayHaveStarted;
      if ("value" in outcome) return outcome.value;
      this.#peer.isKnown = pacer.wasAnswered;
      await retries.pause(outcome);
    }
  }

  /** @throws DeadlineExceededError, or the signal's reason */
  async #turn(pacer: Pacer, { name }: Endpoint, isRepeat: boolean): Promise<void> {
    const { clock, deadline, signal, reporter } = this.#options;
    const cancelReport = clock.after(REPORT_AFTER_MS, () => {
      reporter.progress("waiting, because the service limits the rate of requests");
    });
    try {
      await pacer.turn({ name, isRepeat, deadline, signal });
    } finally {
      cancelReport();
    }
    this.#peer.wasAnswered ||= pacer.lastRefusal !== undefined; // it is reachable
  }

  async #attempt<T>(
    call: Call,
    endpoint: Endpoint,
    { key, repeats }: { readonly key: string; readonly repeats: number },
    read: (reply: Reply) => T,
  ): Promise<{ value: T } | FailedAttempt> {
    const { service, clock, reporter, secrets } = this.#options;
    const reply = await this.#exchange(call, endpoint, repeats, key);
    if ("fault" in reply) return reply;
    this.#peer.wasAnswered = true;
    const { status, text, contentType, sentAtMs, retryAfterMs, hasLocation } = reply;
    if (sentAtMs !== undefined) this.clockAheadMs = clock.now() - sentAtMs;
    if (status > 299) return refusal(endpoint, reply, service);
    try {
      // 201 and 202 mean that a start was accepted, also without a body
      const isAccepted = call.repetition === "start" && (status === 201 || status === 202);
      const body = isAccepted && text?.trim() === "" ? {} : parseObject(endpoint.name, text);
      const value = read({
        endpoint: endpoint.name,
        body,
        dateMs: sentAtMs ?? clock.now() - (this.clockAheadMs ?? 0),
        isOwnClock: this.clockAheadMs === undefined,
        retryAfterMs,
        hasLocation,
        secrets,
      });
      if (!this.#warnedOfType && contentType !== null && !/[/+]json\b/i.test(contentType)) {
        this.#warnedOfType = true;
        reporter.warn(`${endpoint.name} answered JSON that it calls ${redact(contentType, QUOTE_LENGTH)}`);
      }
      return { value };
    } catch (error) {
      if (error instanceof MalformedResponseError) return { fault: { kind: "malformed" }, error };
      throw error;
    }
  }

  /** A span as OpenTelemetry has it, see https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-client */
  #exchange(
    call: Call,
    endpoint: Endpoint,
    repeats: number,
    key: string,
  ): Promise<ReadReply | FailedAttempt> {
    const { tracer, service, clock } = this.#options;
    const { method, body, idempotencyKey, repetition } = call;
    const { hostname, port, protocol } = new URL(endpoint.url);
    const attributes = {
      "http.request.method": method,
      "url.full": endpoint.url,
      "server.address": hostname,
      "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
      ...(repeats > 0 && { "http.request.resend_count": repeats }),
    };
    const headers = {
      authorization: `Bearer ${key}`,
      accept: "application/json",
      ...(body && { "content-type": "application/json" }),
      ...(idempotencyKey !== undefined && { "idempotency-key": `"${idempotencyKey}"` }),
    };
    return tracer.span(method, attributes, async () => {
      const outcome = await attempt(
        endpoint,
        { method, headers, body: body && JSON.stringify(body) },
        this.#options,
        {
          silenceMs: ATTEMPT_LIMIT_MS,
          graceMs: repetition === "start" ? START_GRACE_MS : 0,
          proxy: service.proxy,
        },
        (reply) => readReply(endpoint, reply, clock),
      );
      const reply = "fault" in outcome ? outcome : outcome.value;
      if ("status" in reply) tracer.note({ "http.response.status_code": reply.status });
      if ("fault" in reply) tracer.note({ "error.type": reply.error.name });
      else if (reply.status >= 400) tracer.note({ "error.type": `${reply.status}` });
      return reply;
    });
  }
}
