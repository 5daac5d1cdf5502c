import { createHash } from "node:crypto";
import { DeadlineExceededError, type DocsHostingError } from "../runtime/messages/errors";
import { type Clock, type Deadline, unlessAborted } from "../runtime/time/clock";
import { formatDuration } from "../runtime/time/duration";
import { type FailedAttempt, MAX_RETRY_AFTER_MS, RATE_PAUSE_MS } from "./retryPolicy";

/** Number of requests sent before the first reply, like the segments of a new TCP connection: RFC 3390. */
const FIRST_REQUESTS = 4;
/** Time in which that number doubles without any reply, in milliseconds: a slow service is soon sent all requests. */
const DOUBLING_MS = 250;
/** Most requests that may be unanswered: each needs a socket and some 40 kB, and a process may have few files open. */
const MOST_OPEN = 250;
/** Shortest pause, in milliseconds: a shorter one is too short to measure the rate that the service accepts. */
const MIN_PAUSE_MS = 1_000;
/** Fraction of the accepted rate that is sent after a refusal. */
const DECREASE = 0.8;
/** Divisor that slows the growth of the rate while requests wait: n replies multiply it by e^(n² / 2 / GROWTH), 52 by 1.25. */
const GROWTH = 6_000;
/** Lowest rate, in requests per millisecond: one in two seconds, as in the adaptive retry mode of the AWS SDKs. */
const MIN_RATE = 0.5 / 1_000;

/** A request that waits for its turn. */
interface WaitingRequest {
  /** Method and URL, for the message of a deadline. */
  readonly name: string;
  /** Whether it was sent before: then it goes to the front of the queue. */
  readonly isRepeat: boolean;
  readonly deadline: Deadline;
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly deadline: Deadline;
  readonly go: () => void;
  readonly giveUp: () => void;
}

/**
 * Paces the requests of one process to one service with one key. It applies TCP's congestion control to requests.
 *
 * Until a refusal, it sends the first four requests at once. Each reply releases two more (slow start, RFC 5681), and the others
 * follow after a time. So the service refuses only a few of a hundred requests before the pacer reacts, and a service that
 * refuses nothing gets all of them within about a second.
 *
 * A 429 stops all requests for the time of its `Retry-After`, or a second without a usable one. Then the pacer sends them one by one, at
 * four fifths of the rate that the service accepted (as in TCP Westwood). The rate grows while requests wait, and faster the longer
 * nothing is refused (as in CUBIC, RFC 9438). A 503 with `Retry-After` contains no information about a rate: after the pause, the pacer
 * starts as at first.
 */
export class Pacer {
  /** Whether the service ever answered, with any status. */
  wasAnswered = false;
  /** The last refusal that requested a pause. */
  lastRefusal: DocsHostingError | undefined;
  readonly #clock: Clock;
  /** First come, first served. */
  #queue: Waiting[] = [];
  /** When the current pause began. */
  #pausedAtMs: number | undefined;
  /** Whether the service limits the rate of requests, and is not only unavailable. */
  #isOfRate = false;
  /** No request is sent before this time. All times are of the monotonic clock. */
  #notBeforeMs = 0;
  /** Requests per millisecond. */
  #rate = Infinity;
  /** When sending began, at first or after a pause, and the number of requests sent since. */
  #beganMs: number | undefined;
  #sent = 0;
  /** Requests that were sent and have not ended. */
  #open = 0;
  /** Replies since then that arrived while requests waited. */
  #answered = 0;
  /** Times of the replies within the length of the longest pause. */
  readonly #replies: number[] = [];
  #stopTimer = (): void => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Waits until it is this request's turn.
   *
   * @throws DeadlineExceededError as soon as it is certain that the turn comes too late; the signal's reason
   */
  async turn({ name, isRepeat, deadline, signal }: WaitingRequest): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers();
    const go = (): void => resolve(undefined);
    const waiting = { deadline, go, giveUp: () => reject(this.#tooLate(name, deadline)) };
    if (isRepeat) this.#queue.unshift(waiting);
    else this.#queue.push(waiting);
    this.#admit();
    try {
      await unlessAborted(promise, signal);
    } catch (error) {
      if (!this.#queue.includes(waiting)) this.#open--; // its turn came just then
      throw error;
    } finally {
      this.#queue = this.#queue.filter((each) => each !== waiting);
      if (this.#queue.length === 0) this.#stopTimer();
    }
  }

  /** Updates the pace after an attempt; it has no result if it was stopped. */
  ended(attempt: { readonly value: unknown } | FailedAttempt | undefined): void {
    this.#open--;
    if (!attempt) return;
    if (!("fault" in attempt)) return this.#count();
    const { fault, error } = attempt;
    this.wasAnswered ||= fault.kind === "status";
    const isOfRate = fault.kind === "status" && fault.status === 429;
    const isPause = fault.kind === "status" && fault.status === 503 && fault.retryAfterMs !== undefined;
    if (isOfRate || isPause) {
      this.lastRefusal = error;
      // a `Retry-After` that is missing or cannot be understood slows down, too
      this.#hold(fault.retryAfterMs ?? RATE_PAUSE_MS, isOfRate);
    } else if (fault.kind === "status" || fault.kind === "malformed") this.#count(); // a reply, at least
  }

  #hold(pauseMs: number, isOfRate: boolean): void {
    const nowMs = this.#clock.monotonic();
    this.#pausedAtMs ??= nowMs;
    this.#isOfRate ||= isOfRate;
    this.#notBeforeMs = Math.max(this.#notBeforeMs, nowMs + Math.max(pauseMs, MIN_PAUSE_MS));
    this.#admit();
  }

  #count(): void {
    this.wasAnswered = true;
    const nowMs = this.#clock.monotonic();
    this.#replies.push(nowMs);
    if (nowMs - (this.#replies[0] ?? nowMs) > MAX_RETRY_AFTER_MS) this.#replies.shift();
    if (this.#queue.length === 0) return; // does not show whether the service accepts more
    this.#answered++;
    this.#rate *= 1 + this.#answered / GROWTH;
    this.#admit();
  }

  /** Releases all requests whose turn it is. */
  #admit(): void {
    this.#stopTimer();
    while (this.#queue.length > 0) {
      const nowMs = this.#clock.monotonic();
      if (this.#pausedAtMs !== undefined && nowMs >= this.#notBeforeMs) this.#resume(this.#pausedAtMs, nowMs);
      const untilOpenMs = this.#open < MOST_OPEN ? 0 : DOUBLING_MS;
      const waitMs = Math.ceil(Math.max(untilOpenMs, this.#untilNextMs(nowMs))); // rounded up: a fraction below the clock's resolution would be waited for repeatedly
      if (waitMs > 0) {
        this.#stopTimer = this.#clock.after(waitMs, () => this.#admit());
        const isTooLong = ({ deadline }: Waiting): boolean => deadline.remainingMs() <= waitMs;
        for (const { giveUp } of this.#queue.filter(isTooLong)) giveUp();
        return;
      }
      this.#beganMs ??= nowMs;
      this.#sent++;
      this.#open++;
      this.#notBeforeMs = nowMs + 1 / this.#rate;
      this.#queue.shift()?.go();
    }
  }

  #resume(pausedAtMs: number, nowMs: number): void {
    if (this.#isOfRate) {
      // replies within a time of the pause's length before it, and to requests already sent at that point
      const pauseMs = this.#notBeforeMs - pausedAtMs;
      const accepted = this.#replies.filter((atMs) => atMs >= pausedAtMs - pauseMs).length;
      this.#rate = Math.max(MIN_RATE, DECREASE * Math.min(this.#rate, accepted / pauseMs));
    }
    this.#pausedAtMs = undefined;
    this.#isOfRate = false;
    this.#beganMs = nowMs;
    this.#sent = 0;
    this.#answered = 0;
  }

  #untilNextMs(nowMs: number): number {
    if (this.#pausedAtMs !== undefined || this.#rate < Infinity) return this.#notBeforeMs - nowMs;
    if (this.#sent < FIRST_REQUESTS + 2 * this.#answered) return 0;
    return DOUBLING_MS * Math.log2((this.#sent + 1) / FIRST_REQUESTS) - (nowMs - (this.#beganMs ?? nowMs));
  }

  #tooLate(name: string, { limitMs }: Deadline): DeadlineExceededError {
    const why = this.lastRefusal ? `: ${this.lastRefusal.message}` : "";
    return new DeadlineExceededError(
      `${name} waited for its turn${why}; the time limit of ${formatDuration(limitMs)} leaves no time for it`,
      "Run `pulumi up` again later, or raise the limit with the resource option customTimeouts.",
    );
  }
}

/** The pacers of one process: one for each service and key. */
export class Pacers {
  readonly #clock: Clock;
  /** By a digest, so that no key is stored. */
  readonly #byDigest = new Map<string, Pacer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(baseUrl: string, key: string): Pacer {
    const digest = createHash("sha256").update(`${baseUrl}\n${key}`).digest("hex");
    const pacer = this.#byDigest.get(digest) ?? new Pacer(this.#clock);
    this.#byDigest.set(digest, pacer);
    return pacer;
  }
}
