import { sleep, type Clock } from "./clock";
import type { Deadline } from "./deadline";
import { formatDuration } from "./duration";
import { DeadlineExceededError } from "./errors";
import { nextPollDelayMs, type Observation } from "./pollSchedule";

/** How long before the deadline the last look is taken, in milliseconds: time for one request. */
const LAST_LOOK_MS = 1_000;

/** What to wait for, and how. */
export interface Wait<T> {
  /** What is waited for, for the message of a deadline: "job 42 of docs.example.com to complete". */
  readonly subject: string;
  /** One look; its errors end the wait. */
  readonly look: () => Promise<T>;
  readonly isFinal: (seen: T) => boolean;
  /** The part of a look that the schedule and the progress are made from. */
  readonly describe: (seen: T) => Omit<Observation, "elapsedMs">;
  /** Gets all looks so far, the newest last. */
  readonly onLook?: (history: readonly Observation[]) => void;
  /** How many operations this process waits for at the moment. */
  readonly inFlight: () => number;
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly signal: AbortSignal;
}

/**
 * Looks at once, then on the schedule of `pollSchedule`, the last time just before the deadline.
 *
 * @returns the first final state seen
 * @throws DeadlineExceededError, the signal's reason, or what `look` throws
 */
export async function waitUntilFinal<T>(wait: Wait<T>): Promise<T> {
  const { clock, deadline, signal } = wait;
  const startedAt = clock.monotonic();
  const history: Observation[] = [];
  for (let last = false; ;) {
    const seen = await wait.look();
    history.push({ ...wait.describe(seen), elapsedMs: clock.monotonic() - startedAt });
    wait.onLook?.(history);
    if (wait.isFinal(seen)) return seen;
    if (last) throw deadlineExceeded(wait.subject, deadline, history);
    const untilLastLookMs = Math.max(0, deadline.remainingMs() - LAST_LOOK_MS);
    const delayMs = nextPollDelayMs(history, clock.random(), wait.inFlight());
    last = delayMs >= untilLastLookMs;
    await sleep(clock, last ? untilLastLookMs : delayMs, signal);
  }
}

function deadlineExceeded(
  subject: string,
  deadline: Deadline,
  history: readonly Observation[],
): DeadlineExceededError {
  const { status, progress, pageCount } = history.at(-1) ?? { status: "nothing" };
  const details = [
    status,
    progress === undefined ? [] : `${Math.floor(progress)}%`,
    pageCount === undefined ? [] : `${pageCount} pages`,
  ].flat();
  const statuses = [...new Set(history.map((seen) => seen.status))].join(" → ");
  return new DeadlineExceededError(
    `waited for ${subject}, but the time limit of ${formatDuration(deadline.limitMs)} passed. ` +
      `Last seen: ${details.join(", ")}. ${history.length} looks in all, statuses: ${statuses}`,
    "Run `pulumi up` again to go on with the same job; raise the limit with the resource option customTimeouts.",
  );
}
