import { sleep } from "../time/clock";
import { formatDuration } from "../time/duration";
import { AnswerCutOffError, DeadlineExceededError, type DocsHostingError } from "../messages/errors";
import type { NetworkContext } from "./attempt";
import type { FailedAttempt } from "./failedAttempt";
import {
  allowedRepeats,
  countedAs,
  mayHaveBeenProcessed,
  retryDelayMs,
  type Repetition,
} from "./retryPolicy";

/** Whom an operation asks. */
export interface Peer {
  /** `the service`, `the store`. */
  readonly name: string;
  /** Something of it answered in this run: a refused connection then is a restart, and not a wrong address. */
  isKnown: boolean;
  /** Something of it answered this operation, whatever it said: it is there, and worth waiting for. */
  wasAnswered: boolean;
  /** When this operation asked it first, on the monotonic clock. */
  askedAtMs?: number;
}

/** How long a peer of which nothing ever answered is tried, in milliseconds. */
const SILENCE_LIMIT_MS = 2 * 60_000;
/** The same where it refuses connections and nobody knows that it was ever there, in milliseconds. */
const REFUSED_LIMIT_MS = 15_000;

/** How many bytes are worth a request: when fewer came, what failed before still counts. */
export const WORTH_BYTES = 64 * 1024;

/** A timer may run out this much before its time, in milliseconds. */
const TIMER_PRECISION_MS = 5;

type RetryContext = Pick<NetworkContext, "clock" | "reporter" | "signal" | "deadline">;

/** The failed attempts of one call or transfer, and how long is waited after each. */
export class Retries {
  readonly #peer: Peer;
  readonly #context: RetryContext;
  readonly #name: string;
  readonly #repetition: Repetition;
  #failures = 0;
  readonly #counts = new Map<string, number>();
  #previous: DocsHostingError | undefined;
  #movedBytes = 0;

  /** @param call.name what is tried, for messages: `GET https://…` */
  constructor(
    peer: Peer,
    context: RetryContext,
    { name, repetition }: { readonly name: string; readonly repetition: Repetition },
  ) {
    this.#peer = peer;
    this.#context = context;
    this.#name = name;
    this.#repetition = repetition;
    peer.askedAtMs ??= context.clock.monotonic();
  }

  /** Bytes were moved. When these are worth it, what failed before counts no longer. */
  moved(bytes: number): void {
    this.#peer.wasAnswered = true;
    this.#movedBytes += bytes;
    if (this.#movedBytes < WORTH_BYTES) return;
    this.#movedBytes = 0;
    this.#failures = 0;
    this.#counts.clear();
  }

  /**
   * Waits until it may be tried again.
   *
   * @throws the attempt's error when it may not; DeadlineExceededError; the signal's reason
   */
  async pause({ fault, error }: FailedAttempt): Promise<void> {
    const { clock, reporter, signal } = this.#context;
    this.#peer.wasAnswered ||= fault.kind === "status";
    const counted = countedAs(fault, this.#repetition);
    const count = (this.#counts.get(counted) ?? 0) + 1;
    this.#counts.set(counted, count);
    const delayMs = retryDelayMs(fault, ++this.#failures, clock.random());
    const isLast = count > allowedRepeats(fault, this.#repetition);
    const end = isLast ? error : this.#endOf({ fault, error }, delayMs);
    const mayHaveStarted = this.#repetition === "start" && mayHaveBeenProcessed(fault);
    if (end) {
      if (mayHaveStarted) {
        reporter.warn(`${this.#name}: a job may have been started whose id nobody knows`);
      }
      throw end;
    }
    if (mayHaveStarted) {
      reporter.warn(`${error.message}. It is sent once more; if the first one arrived, two jobs run.`);
    } else {
      reporter.progress(`${error.message}; trying again in ${Math.ceil(delayMs / 1_000)}s`);
    }
    this.#previous = error;
    await sleep(clock, delayMs, signal);
  }

  /** Why it is not tried after such a pause, where time is the reason. */
  #endOf({ fault, error }: FailedAttempt, delayMs: number): DocsHostingError | undefined {
    const { clock, deadline } = this.#context;
    const remainingMs = deadline.remainingMs();
    if (delayMs >= remainingMs) {
      const limit = formatDuration(deadline.limitMs);
      const wasCutOff = remainingMs < TIMER_PRECISION_MS;
      if (wasCutOff && !this.#previous) {
        return new AnswerCutOffError(
          `the time limit of ${limit} passed before ${this.#name} was answered in full`,
          "Run `pulumi up` again, or raise the limit with the resource option customTimeouts.",
        );
      }
      // an attempt that the deadline itself cut off tells less than the one before
      const { message, remedy } = wasCutOff ? (this.#previous ?? error) : error;
      return new DeadlineExceededError(
        `${message}; the time limit of ${limit} leaves no room for another try`,
        remedy,
      );
    }
    const { name, isKnown, wasAnswered, askedAtMs = 0 } = this.#peer;
    const isRefused = fault.kind === "unreachable" && fault.code === "ECONNREFUSED" && !isKnown;
    const silentMs = clock.monotonic() - askedAtMs;
    if (wasAnswered || silentMs + delayMs < (isRefused ? REFUSED_LIMIT_MS : SILENCE_LIMIT_MS))
      return undefined;
    return error.withMessage(
      `${error.message}; nothing of ${name} answered for ${formatDuration(silentMs)}, so it is not tried any longer`,
    );
  }
}
