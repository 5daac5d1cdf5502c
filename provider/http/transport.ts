import { sleep, type Clock } from "../time/clock";
import type { Reporter } from "../words/reporter";
import type { Deadline } from "../time/deadline";
import type { Tracer } from "../tracing/tracer";
import type { FailedAttempt } from "./failedAttempt";
import { formatDuration } from "../time/duration";
import {
  AnswerCutOffError,
  ConnectionError,
  DeadlineExceededError,
  MalformedResponseError,
  type DocsHostingError,
} from "../words/errors";
import { endpointOf, type Call, type Endpoint } from "./endpoint";
import { exchange, type Answer, type Fetch } from "./attempt";
import { refusal } from "./refusal";
import { redact } from "../words/redaction";
import type { Secrets } from "../words/secrets";
import type { Origin } from "./origin";
import type { Pacer } from "./pacer";
import type { Pacers } from "./pacers";
import { parseObject, QUOTE_LENGTH } from "./replyBody";
import { allowedRepeats, countedAs, mayHaveBeenProcessed, retryDelayMs } from "./retryPolicy";

/** A successful reply whose body is a JSON object. */
export interface Reply {
  /** Method and URL of the call, for messages. */
  readonly endpoint: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** When it was sent, by the service's clock as its `Date` headers tell it, else by ours: milliseconds since 1970. */
  readonly dateMs: number;
  /** How long the service asks not to be asked again (`Retry-After`), in milliseconds. */
  readonly retryAfterMs?: number;
  /** What must not be stored of it. What is only shown has them removed where it leaves. */
  readonly secrets: Secrets;
}

/** What every call of one operation shares. */
export interface TransportOptions {
  readonly service: Origin;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** When requests go out: shared by all operations of the process. */
  readonly pacers: Pacers;
  readonly reporter: Reporter;
  readonly tracer: Tracer;
  readonly secrets: Secrets;
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
}

/** How long a service of which nothing ever answered is tried, in milliseconds from the operation's begin. */
const SILENCE_LIMIT_MS = 2 * 60_000;

/** How long a request waits for its turn without a word, in milliseconds. */
const TELL_AFTER_MS = 5_000;

/** A timer may run out this much before its time, in milliseconds. */
const TIMER_PRECISION_MS = 5;

/** Sends calls to the service: bearer key, time and size limits, and retries of what is safe to send again. */
export class Transport {
  /** How far this machine's clock is ahead of the service's, in milliseconds, by the last `Date` header seen. */
  clockAheadMs: number | undefined;
  /** Something of the service answered, whatever it said: it is there, and worth waiting for. */
  #wasAnswered = false;
  /** A wrong `Content-Type` was told of: once is enough. */
  #warnedOfType = false;
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /**
   * @param read takes what is needed from the reply; throws `MalformedResponseError` when it is not there
   * @throws DocsHostingError of the last attempt, or the signal's reason
   */
  async send<T>(call: Call, read: (reply: Reply) => T): Promise<T> {
    const { service, clock, pacers, secrets, signal, deadline, reporter } = this.#options;
    const endpoint = endpointOf(service.baseUrl, call);
    const counts = new Map<string, number>();
    let failures = 0;
    let previous: DocsHostingError | undefined;
    for (;;) {
      signal.throwIfAborted();
      const key = service.apiKey();
      secrets.add(key);
      const pacer = pacers.of(service.baseUrl, key);
      await this.#turn(pacer, endpoint, failures > 0);
      const attempt = await this.#attempt(call, endpoint, { key, repeats: failures }, read);
      pacer.ended(attempt);
      if ("value" in attempt) return attempt.value;
      failures++;
      const { fault, error } = attempt;
      const mayHaveStarted = call.repetition === "start" && mayHaveBeenProcessed(fault);
      const counted = countedAs(fault, call.repetition);
      const count = (counts.get(counted) ?? 0) + 1;
      counts.set(counted, count);
      const isLast = count > allowedRepeats(fault, call.repetition);
      const delayMs = retryDelayMs(fault, failures, clock.random());
      const isOutOfTime = delayMs >= deadline.remainingMs();
      const isSilent = !this.#wasAnswered && deadline.elapsedMs() + delayMs >= SILENCE_LIMIT_MS;
      if (mayHaveStarted && (isLast || isOutOfTime || isSilent)) {
        reporter.warn(`${endpoint.name}: a job may have been started whose id nobody knows`);
      }
      if (isLast) throw error;
      const limit = formatDuration(deadline.limitMs);
      if (isOutOfTime) {
        const wasCutOff = deadline.remainingMs() < TIMER_PRECISION_MS;
        if (wasCutOff && !previous) {
          throw new AnswerCutOffError(
            `${endpoint.name} was not answered before the time limit of ${limit} passed`,
            "Run `pulumi up` again, or raise the limit with the resource option customTimeouts.",
          );
        }
        // an attempt that the deadline itself cut off tells less than the one before
        const { message, remedy } = wasCutOff ? (previous ?? error) : error;
        throw new DeadlineExceededError(
          `${message}; the time limit of ${limit} leaves no room for another try`,
          remedy,
        );
      }
      if (isSilent) {
        throw new ConnectionError(
          `${error.message}; nothing of the service answered for ${formatDuration(deadline.elapsedMs())}, so it is not tried any longer`,
          error.remedy,
        );
      }
      if (mayHaveStarted) {
        reporter.warn(`${error.message}. It is sent once more; if the first one arrived, two jobs run.`);
      } else {
        reporter.progress(`${error.message}; trying again in ${Math.ceil(delayMs / 1_000)}s`);
      }
      previous = error;
      await sleep(clock, delayMs, signal);
    }
  }

  /** @throws DeadlineExceededError, or the signal's reason */
  async #turn(pacer: Pacer, { name }: Endpoint, isRepeat: boolean): Promise<void> {
    const { clock, deadline, signal, reporter } = this.#options;
    const stopTelling = clock.after(TELL_AFTER_MS, () => {
      reporter.progress("waiting for its turn, for the service limits the rate of requests");
    });
    try {
      await pacer.turn({ name, isRepeat, deadline, signal });
    } finally {
      stopTelling();
    }
    this.#wasAnswered ||= pacer.wasRefused;
  }

  async #attempt<T>(
    call: Call,
    endpoint: Endpoint,
    { key, repeats }: { readonly key: string; readonly repeats: number },
    read: (reply: Reply) => T,
  ): Promise<{ value: T } | FailedAttempt> {
    const { service, clock, reporter, secrets } = this.#options;
    const answer = await this.#exchange(call, endpoint, repeats, key);
    if ("fault" in answer) return answer;
    this.#wasAnswered = true;
    const { status, text, contentType, sentAtMs, retryAfterMs } = answer;
    if (sentAtMs !== undefined) this.clockAheadMs = clock.now() - sentAtMs;
    if (status < 200 || status > 299) return refusal(endpoint, answer, service);
    try {
      const body = parseObject(endpoint.name, text);
      const reply: Reply = {
        endpoint: endpoint.name,
        body,
        dateMs: sentAtMs ?? clock.now() - (this.clockAheadMs ?? 0),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
        secrets,
      };
      const value = read(reply);
      if (!this.#warnedOfType && contentType !== undefined && !/[/+]json\b/i.test(contentType)) {
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
  #exchange(call: Call, endpoint: Endpoint, repeats: number, key: string): Promise<Answer | FailedAttempt> {
    const { tracer } = this.#options;
    const { hostname, port, protocol } = new URL(endpoint.url);
    const attributes = {
      "http.request.method": call.method,
      "url.full": endpoint.url,
      "server.address": hostname,
      "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
      ...(repeats > 0 && { "http.request.resend_count": repeats }),
    };
    return tracer.span(call.method, attributes, async () => {
      const answer = await exchange(call, endpoint, key, this.#options);
      if ("fault" in answer) {
        tracer.note({ "error.type": answer.error.name });
      } else {
        const { status } = answer;
        tracer.note({
          "http.response.status_code": status,
          ...(status >= 400 && { "error.type": `${status}` }),
        });
      }
      return answer;
    });
  }
}
