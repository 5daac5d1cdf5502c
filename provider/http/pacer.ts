import type { Clock } from "../time/clock";
import type { Deadline } from "../time/deadline";
import { formatDuration } from "../time/duration";
import { DeadlineExceededError, type DocsHostingError } from "../messages/errors";
import type { FailedAttempt } from "./failedAttempt";
import { MAX_RETRY_AFTER_MS } from "./retryPolicy";

/** How many requests go out before anything was answered, as segments of a new TCP connection do: RFC 3390. */
const FIRST_REQUESTS = 4;
/** In which time that number doubles, whatever is answered, in milliseconds: a service that is only slow is not held back for long. */
const DOUBLING_MS = 250;
/** Shortest pause, in milliseconds: in less, it does not show how many requests the service lets through. */
const MIN_PAUSE_MS = 1_000;
/** Part of what the service let through that is sent after a refusal. */
const DECREASE = 0.8;
/** How slowly the rate grows while requests wait: after n answers it is e^(n² / 2 / GROWTH) as high, a quarter more after 52. */
const GROWTH = 6_000;
/** Lowest rate, in requests a millisecond: one in two seconds, as in the adaptive retry mode of the AWS SDKs. */
const MIN_RATE = 0.5 / 1_000;

/** A request that waits for its turn. */
export interface Turn {
  /** Method and URL, for the message of a deadline. */
  readonly name: string;
  /** It was sent before: it goes before those that came later. */
  readonly isRepeat: boolean;
  readonly deadline: Deadline;
  readonly signal: AbortSignal;
}

/** One in the queue. */
interface Waiting {
  readonly deadline: Deadline;
  readonly go: () => void;
  readonly giveUp: () => void;
}

/** A time in which the service is not asked. */
interface Pause {
  readonly beganMs: number;
  /** The service limits the rate of requests, and is not only out of service. */
  readonly isOfRate: boolean;
}

/**
 * When the requests of one process to one service, with one key, go out: the congestion control of TCP, but for requests.
 *
 * Until a refusal, the first four go at once; each answer lets two more go (slow start, RFC 5681), and time lets go the others.
 * So only a few of a hundred are refused before that is noticed, and a service that refuses nothing is asked by all within a second.
 *
 * A 429 with `Retry-After` holds all back for so long. Then they go one by one, at four fifths of the rate that the service let
 * through (as TCP Westwood has it). That grows while requests wait, the faster the longer nothing is refused (as in CUBIC, RFC 9438).
 * A 503 with `Retry-After` says nothing of a rate: after the pause it is as at first.
 */
export class Pacer {
  /** The service answered at some time, whatever it said. */
  wasAnswered = false;
  readonly #clock: Clock;
  /** First come, first served. */
  readonly #queue: Waiting[] = [];
  /** The last refusal that asked for a pause. */
  #refusal: DocsHostingError | undefined;
  #pause: Pause | undefined;
  /** Nothing goes out before this. All times are of the monotonic clock. */
  #notBeforeMs = 0;
  /** Requests a millisecond. */
  #rate = Infinity;
  /** When requests began to go out, at first or after a pause, and how many went since. */
  #beganMs: number | undefined;
  #sent = 0;
  /** Answers since then that came while others waited. */
  #answered = 0;
  /** When each answer came, of the time of the longest pause. */
  readonly #answers: number[] = [];
  #stopTimer = (): void => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The service asked for a pause at some time: it is there. */
  get wasRefused(): boolean {
    return this.#refusal !== undefined;
  }

  /**
   * Waits until it is this request's turn.
   *
   * @throws DeadlineExceededError as soon as it is known that its turn does not come in time; the signal's reason
   */
  turn({ name, isRepeat, deadline, signal }: Turn): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        stopLimit();
        signal.removeEventListener("abort", onAbort);
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        if (this.#queue.length === 0) this.#stopTimer();
      };
      const onAbort = (): void => {
        leave();
        reject(signal.reason as Error);
      };
      const giveUp = (): void => {
        leave();
        reject(this.#tooLate(name, deadline));
      };
      const go = (): void => {
        leave();
        resolve();
      };
      const waiting: Waiting = { deadline, go, giveUp };
      const stopLimit = this.#clock.after(deadline.remainingMs(), giveUp);
      signal.addEventListener("abort", onAbort, { once: true });
      if (isRepeat) this.#queue.unshift(waiting);
      else this.#queue.push(waiting);
      this.#letGo();
    });
  }

  /** Learns from the end of an attempt. */
  ended(attempt: { readonly value: unknown } | FailedAttempt): void {
    if (!("fault" in attempt)) return this.#count();
    const { fault, error } = attempt;
    this.wasAnswered ||= fault.kind === "status";
    if (fault.kind === "status" && [429, 503].includes(fault.status) && fault.retryAfterMs !== undefined) {
      this.#refusal = error;
      this.#hold(fault.retryAfterMs, fault.status === 429);
    } else if (fault.kind === "status" || fault.kind === "malformed") this.#count(); // an answer, at least
  }

  #hold(pauseMs: number, isOfRate: boolean): void {
    const nowMs = this.#clock.monotonic();
    this.#pause = {
      beganMs: this.#pause?.beganMs ?? nowMs,
      isOfRate: isOfRate || this.#pause?.isOfRate === true,
    };
    this.#notBeforeMs = Math.max(this.#notBeforeMs, nowMs + Math.max(pauseMs, MIN_PAUSE_MS));
    this.#letGo();
  }

  #count(): void {
    this.wasAnswered = true;
    const nowMs = this.#clock.monotonic();
    this.#answers.push(nowMs);
    if (nowMs - (this.#answers[0] ?? nowMs) > MAX_RETRY_AFTER_MS) this.#answers.shift();
    if (this.#queue.length === 0) return; // says nothing of whether more could go
    this.#answered++;
    this.#rate *= 1 + this.#answered / GROWTH;
    this.#letGo();
  }

  /** Lets go all whose turn it is. */
  #letGo(): void {
    this.#stopTimer();
    while (this.#queue.length > 0) {
      const nowMs = this.#clock.monotonic();
      if (this.#pause && nowMs >= this.#notBeforeMs) this.#resume(this.#pause, nowMs);
      const waitMs = Math.ceil(this.#untilNextMs(nowMs)); // a rest that no clock can show would be waited for again and again
      if (waitMs > 0) {
        this.#stopTimer = this.#clock.after(waitMs, () => this.#letGo());
        const isTooLong = ({ deadline }: Waiting): boolean => deadline.remainingMs() <= waitMs;
        for (const { giveUp } of this.#queue.filter(isTooLong)) giveUp();
        return;
      }
      this.#beganMs ??= nowMs;
      this.#sent++;
      this.#notBeforeMs = nowMs + 1 / this.#rate;
      this.#queue[0]?.go();
    }
  }

  #resume({ beganMs, isOfRate }: Pause, nowMs: number): void {
    if (isOfRate) {
      // as many as in a time of the pause's length before it, and those that were on their way then
      const pauseMs = this.#notBeforeMs - beganMs;
      const accepted = this.#answers.filter((atMs) => atMs >= beganMs - pauseMs).length;
      this.#rate = Math.max(MIN_RATE, DECREASE * Math.min(this.#rate, accepted / pauseMs));
    }
    this.#pause = undefined;
    this.#beganMs = nowMs;
    this.#sent = 0;
    this.#answered = 0;
  }

  #untilNextMs(nowMs: number): number {
    if (this.#pause || this.#rate < Infinity) return this.#notBeforeMs - nowMs;
    if (this.#sent < FIRST_REQUESTS + 2 * this.#answered) return 0;
    return DOUBLING_MS * Math.log2((this.#sent + 1) / FIRST_REQUESTS) - (nowMs - (this.#beganMs ?? nowMs));
  }

  #tooLate(name: string, { limitMs }: Deadline): DeadlineExceededError {
    const why = this.#refusal ? `: ${this.#refusal.message}` : "";
    return new DeadlineExceededError(
      `${name} waited for its turn${why}; the time limit of ${formatDuration(limitMs)} leaves no room for it`,
      "Run `pulumi up` again later, or raise the limit with the resource option customTimeouts.",
    );
  }
}
