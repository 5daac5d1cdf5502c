import { AnswerCutOffError, DeadlineExceededError, type DocsHostingError } from "../runtime/messages/errors";
import { sleep } from "../runtime/time/clock";
import { formatDuration } from "../runtime/time/duration";
import type { NetworkContext } from "./attempt";
import {
  allowedRepeats,
  countedAs,
  type FailedAttempt,
  mayHaveBeenProcessed,
  type Repetition,
  retryDelayMs,
} from "./retryPolicy";

/** The server that an operation talks to. */
export interface Peer {
  /** `the service`, `the store`. */
  readonly name: string;
  /** Whether it answered in this run: then a refused connection means a restart, not a wrong address. */
  isKnown: boolean;
  /** Whether it answered this operation, with any status: it is reachable and worth waiting for. */
  wasAnswered: boolean;
  /** When this operation first contacted it, on the monotonic clock. */
  firstRequestMs?: number;
}

/** How long a peer that never answered is tried, in milliseconds. */
const SILENCE_LIMIT_MS = 2 * 60_000;
/** The same for a peer that refuses connections and never answered in this run, in milliseconds. */
const REFUSED_LIMIT_MS = 15_000;

/** Number of bytes that reset the count of failures: with fewer bytes, earlier failures still count. */
export const WORTH_BYTES: number = 64 * 1024;

/** A timer may fire this much too early, in milliseconds. */
const TIMER_PRECISION_MS = 5;

interface RetriedCall {
  /** The request, for messages: `GET https://…`. */
  readonly name: string;
  readonly repetition: Repetition;
}

type RetryContext = Pick<NetworkContext, "clock" | "reporter" | "signal" | "deadline">;

/** The failed attempts of one call or transfer, and the pause after each. */
export class Retries {
  readonly #peer: Peer;
  readonly #context: RetryContext;
  readonly #call: RetriedCall;
  #failures = 0;
  readonly #counts = new Map<string, number>();
  #previous: DocsHostingError | undefined;
  #movedBytes = 0;

  constructor(peer: Peer, context: RetryContext, call: RetriedCall) {
    this.#peer = peer;
    this.#context = context;
    this.#call = call;
    peer.firstRequestMs ??= context.clock.monotonic();
  }

  /** Bytes were transferred. After {@link WORTH_BYTES}, earlier failures no longer count. */
  moved(bytes: number): void {
    this.#peer.wasAnswered = true;
    this.#movedBytes += bytes;
    if (this.#movedBytes < WORTH_BYTES) return;
    this.#movedBytes = 0;
    this.#failures = 0;
    this.#counts.clear();
  }

  /**
   * Waits until the next attempt.
   *
   * @throws the attempt's error if no further attempt is allowed; DeadlineExceededError; the signal's reason
   */
  async pause({ fault, error }: FailedAttempt): Promise<void> {
    const { clock, reporter, signal } = this.#context;
    const { name, repetition } = this.#call;
    this.#peer.wasAnswered ||= fault.kind === "status";
    const counted = countedAs(fault, repetition);
    const count = (this.#counts.get(counted) ?? 0) + 1;
    this.#counts.set(counted, count);
    const delayMs = retryDelayMs(fault, ++this.#failures, clock.random());
    const { isKnown, wasAnswered } = this.#peer;
    const isLast = count > allowedRepeats(fault, repetition, isKnown || wasAnswered);
    const end = isLast ? error : this.#endOf({ fault, error }, delayMs);
    const mayHaveStarted = repetition === "start" && mayHaveBeenProcessed(fault);
    if (end) {
      if (mayHaveStarted) {
        reporter.warn(`${name}: the service may have started a job whose id is unknown`);
      }
      throw end;
    }
    if (mayHaveStarted) {
      reporter.warn(
        `${error.message}. The request is sent once more; if the service received the first one, two jobs run.`,
      );
    } else {
      reporter.progress(`${error.message}; trying again in ${Math.ceil(delayMs / 1_000)}s`);
    }
    this.#previous = error;
    await sleep(clock, delayMs, signal);
  }

  /** The error if time allows no attempt after this pause. */
  #endOf({ fault, error }: FailedAttempt, delayMs: number): DocsHostingError | undefined {
    const { clock, deadline } = this.#context;
    const remainingMs = deadline.remainingMs();
    if (delayMs >= remainingMs) {
      const limit = formatDuration(deadline.limitMs);
      const wasCutOff = remainingMs < TIMER_PRECISION_MS;
      if (wasCutOff && !this.#previous) {
        return new AnswerCutOffError(
          `the time limit of ${limit} passed before ${this.#call.name} was answered in full`,
          "Run `pulumi up` again, or raise the limit with the resource option customTimeouts.",
        );
      }
      // an attempt that the deadline ended is less informative than the one before
      const { message, remedy } = wasCutOff ? (this.#previous ?? error) : error;
      return new DeadlineExceededError(
        `${message}; the time limit of ${limit} leaves no time for another attempt`,
        remedy,
      );
    }
    const { name, isKnown, wasAnswered, firstRequestMs = 0 } = this.#peer;
    const isRefused = fault.kind === "unreachable" && fault.code === "ECONNREFUSED" && !isKnown;
    const silentMs = clock.monotonic() - firstRequestMs;
    if (wasAnswered || silentMs + delayMs < (isRefused ? REFUSED_LIMIT_MS : SILENCE_LIMIT_MS)) {
      return undefined;
    }
    return error.withMessage(
      `${error.message}; ${name} did not answer for ${formatDuration(silentMs)}, so there is no further attempt`,
    );
  }
}
