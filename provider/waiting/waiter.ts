import { sleep, type Clock } from "../time/clock";
import type { Deadline } from "../time/deadline";
import { formatDuration } from "../time/duration";
import { AnswerCutOffError, DeadlineExceededError } from "../words/errors";
import { remember } from "./lookHistory";
import type { Observation } from "./observation";
import { nextPollDelayMs } from "./pollSchedule";

/** How long before the deadline the last look is taken, in milliseconds: time for one request. */
const LAST_LOOK_MS = 1_000;
/** How many different statuses the message of a deadline names at most. */
const MAX_STATUSES = 20;

/** What to wait for, and how. */
export interface Wait<T> {
  /** What is waited for, for the message of a deadline: "job 42 of docs.example.com to complete". */
  readonly subject: string;
  /** One look; its errors end the wait. */
  readonly look: () => Promise<T>;
  readonly isFinal: (seen: T) => boolean;
  /** The part of a look that the schedule and the progress are made from. */
  readonly describe: (seen: T) => Omit<Observation, "elapsedMs">;
  /** Gets what is remembered of the looks so far, see `lookHistory`, the newest last. */
  readonly onLook: (history: readonly Observation[]) => void;
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
  const statuses = new Set<string>();
  for (let looks = 1, last = false; ; looks++) {
    const seen = await wait.look().catch((error: unknown) => {
      const before = history.at(-1);
      if (!(error instanceof AnswerCutOffError) || !before) throw error;
      throw deadlineExceeded(wait, before, looks, statuses);
    });
    const look = { ...wait.describe(seen), elapsedMs: clock.monotonic() - startedAt };
    remember(history, look);
    if (statuses.size < MAX_STATUSES) statuses.add(look.status);
    wait.onLook(history);
    if (wait.isFinal(seen)) return seen;
    if (last) throw deadlineExceeded(wait, look, looks, statuses);
    const untilLastLookMs = Math.max(0, deadline.remainingMs() - LAST_LOOK_MS);
    const delayMs = nextPollDelayMs(history, clock.random(), wait.inFlight());
    last = delayMs >= untilLastLookMs;
    await sleep(clock, last ? untilLastLookMs : delayMs, signal);
  }
}

function deadlineExceeded(
  { subject, deadline }: Pick<Wait<unknown>, "subject" | "deadline">,
  { status, progress, pageCount }: Observation,
  looks: number,
  statuses: ReadonlySet<string>,
): DeadlineExceededError {
  const details = [
    status,
    progress === undefined ? [] : `${Math.floor(progress)}%`,
    pageCount === undefined ? [] : `${pageCount} pages`,
  ].flat();
  return new DeadlineExceededError(
    `waited for ${subject}, but the time limit of ${formatDuration(deadline.limitMs)} passed. ` +
      `Last seen: ${details.join(", ")}. ${looks} looks in all, statuses: ${[...statuses].join(" → ")}`,
    "Run `pulumi up` again to go on with the same job; raise the limit with the resource option customTimeouts.",
  );
}
