import { allowedRepeats, countedAs, retryDelayMs, type Fault } from "../http/retryPolicy";
import { sleep, type Clock } from "../time/clock";
import type { Deadline } from "../time/deadline";
import { formatDuration } from "../time/duration";
import { ConnectionError, DeadlineExceededError, type DocsHostingError } from "../words/errors";
import type { Reporter } from "../words/reporter";
import { downloadError, notDownloaded, type Arrived } from "./notDownloaded";

/** How long a store of which no byte ever came is tried, in milliseconds. */
const SILENCE_LIMIT_MS = 2 * 60_000;

/** An attempt that brought nothing, or not all. */
export interface Failure {
  readonly fault: Fault;
  readonly message: string;
}

/** What waiting takes from the outside. */
interface RetriesContext {
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
}

/** The failed attempts of one download, and how long is waited after each. */
export class Retries {
  readonly #arrived: Arrived;
  readonly #context: RetriesContext;
  /** Since the last byte: in all, and of each kind. */
  #failures = 0;
  readonly #counts = new Map<string, number>();
  /** When the store was asked first, on the monotonic clock. */
  #askedAt: number | undefined;
  /** A byte came, at any time. */
  #hasCome = false;

  constructor(arrived: Arrived, context: RetriesContext) {
    this.#arrived = arrived;
    this.#context = context;
  }

  /** The store is asked. */
  asked(): void {
    this.#askedAt ??= this.#context.clock.monotonic();
  }

  /** Bytes came: what failed before counts no longer. */
  forget(): void {
    this.#hasCome = true;
    this.#failures = 0;
    this.#counts.clear();
  }

  /**
   * Waits until it is time for another attempt.
   *
   * @throws DownloadError, ConnectionError or DeadlineExceededError where there is to be none; the signal's reason
   */
  async pause({ fault, message }: Failure): Promise<void> {
    const { clock, signal, deadline, reporter } = this.#context;
    this.#failures++;
    const counted = countedAs(fault, "read");
    const count = (this.#counts.get(counted) ?? 0) + 1;
    this.#counts.set(counted, count);
    const delayMs = retryDelayMs(fault, this.#failures, clock.random());
    if (delayMs >= deadline.remainingMs()) throw this.#outOfTime(message);
    if (count > allowedRepeats(fault, "read")) throw this.#lost(fault, message);
    const silentMs = this.#hasCome ? 0 : clock.monotonic() - (this.#askedAt ?? 0);
    if (fault.kind !== "status" && silentMs + delayMs >= SILENCE_LIMIT_MS) {
      throw this.#lost(fault, `${message}; no byte came from the store for ${formatDuration(silentMs)}`);
    }
    reporter.progress(`${message}; trying again in ${Math.ceil(delayMs / 1_000)}s`);
    await sleep(clock, delayMs, signal);
  }

  #lost(fault: Fault, message: string): DocsHostingError {
    const remedy =
      "Check the network, and that the store is up and can be reached from here. `pulumi up` goes on from what has arrived.";
    return fault.kind === "status"
      ? downloadError(this.#arrived, message, remedy)
      : new ConnectionError(notDownloaded(this.#arrived, message), remedy);
  }

  #outOfTime(message: string): DocsHostingError {
    const limit = formatDuration(this.#context.deadline.limitMs);
    return new DeadlineExceededError(
      notDownloaded(this.#arrived, `${message}; the time limit of ${limit} leaves no room for another try`),
      "Run `pulumi up` again: it goes on from what has arrived. Or raise the limit with the resource option customTimeouts.",
    );
  }
}
