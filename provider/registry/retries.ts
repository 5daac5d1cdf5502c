import type { FailedAttempt } from "../http/failedAttempt";
import { allowedRepeats, countedAs, retryDelayMs } from "../http/retryPolicy";
import { sleep, type Clock } from "../time/clock";
import type { Deadline } from "../time/deadline";
import { formatDuration } from "../time/duration";
import { DeadlineExceededError, DestinationError } from "../words/errors";
import type { Reporter } from "../words/reporter";

/** How long a registry of which nothing ever answered is tried, in milliseconds from the operation's begin. */
const SILENCE_LIMIT_MS = 2 * 60_000;

/** The failed attempts of one thing to do, and how long is waited after each. */
export class Retries {
  readonly #context: { clock: Clock; reporter: Reporter; signal: AbortSignal; deadline: Deadline };
  readonly #wasAnswered: () => boolean;
  #failures = 0;
  #counts = new Map<string, number>();

  /** @param wasAnswered whether anything of the registry ever answered */
  constructor(
    context: { clock: Clock; reporter: Reporter; signal: AbortSignal; deadline: Deadline },
    wasAnswered: () => boolean,
  ) {
    this.#context = context;
    this.#wasAnswered = wasAnswered;
  }

  /** It goes on: what failed before counts no longer. */
  forget(): void {
    this.#failures = 0;
    this.#counts.clear();
  }

  /**
   * Waits until it may be tried again.
   *
   * @throws the attempt's error when it may not; DeadlineExceededError; the signal's reason
   */
  async pause({ fault, error }: FailedAttempt): Promise<void> {
    const { clock, reporter, signal, deadline } = this.#context;
    const counted = countedAs(fault, "repeatable");
    const count = (this.#counts.get(counted) ?? 0) + 1;
    this.#counts.set(counted, count);
    this.#failures++;
    if (count > allowedRepeats(fault, "repeatable")) throw error;
    const delayMs = retryDelayMs(fault, this.#failures, clock.random());
    if (delayMs >= deadline.remainingMs()) {
      const limit = formatDuration(deadline.limitMs);
      throw new DeadlineExceededError(
        `${error.message}; the time limit of ${limit} leaves no room for another try`,
        error.remedy,
      );
    }
    if (!this.#wasAnswered() && deadline.elapsedMs() + delayMs >= SILENCE_LIMIT_MS) {
      throw new DestinationError(
        `${error.message}; nothing of the registry answered for ${formatDuration(deadline.elapsedMs())}, so it is not tried any longer`,
        error.remedy,
      );
    }
    reporter.progress(`${error.message}; trying again in ${Math.ceil(delayMs / 1_000)}s`);
    await sleep(clock, delayMs, signal);
  }
}
