import { sleep, type Clock } from "../time/clock";
import type { Deadline } from "../time/deadline";
import { formatDuration } from "../time/duration";
import { AnswerCutOffError, DeadlineExceededError } from "../messages/errors";
import type { Outcome } from "./outcome";
import { warningOnce, type Reporter } from "../messages/reporter";
import { remember } from "./pollHistory";
import type { Observation } from "./observation";
import { nextPollDelayMs } from "./pollSchedule";
import { describeProgress } from "./progress";

/** How long before the deadline the last poll is taken, in milliseconds: time for one request. */
const LAST_POLL_MS = 1_000;
/** How many different statuses the message of a deadline names at most. */
const MAX_STATUSES = 20;
/** Shortest and longest time between two lines that stay, in milliseconds. */
const LASTING_MIN_MS = 10_000;
const LASTING_MAX_MS = 5 * 60_000;

/** What is seen of a job. */
export interface PolledJob extends Omit<Observation, "elapsedMs"> {
  readonly outcome: Outcome;
  /** The status is none that is known: taken for «still running», which deserves a word. */
  readonly isUnexpected: boolean;
}

/** A job to wait for, and how. */
export interface JobWait<Job> {
  /** As warnings name it: "job 42". */
  readonly name: string;
  /** What is waited for, for the message of a deadline: "job 42 of docs.example.com to complete". */
  readonly subject: string;
  /** One poll; its errors end the wait. */
  readonly poll: () => Promise<Job>;
  /** How many operations this process waits for at the moment. */
  readonly inFlight: () => number;
  readonly clock: Clock;
  readonly deadline: Deadline;
  readonly reporter: Reporter;
  readonly signal: AbortSignal;
}

/**
 * Waits until a job is final, with progress on the resource's row: polls at once, then on the schedule of `pollSchedule`, the last
 * time just before the deadline. Each status that is not known is named once.
 *
 * @returns the first final state seen
 * @throws DeadlineExceededError, the signal's reason, or what `poll` throws
 */
export async function waitForJob<Job extends PolledJob>(wait: JobWait<Job>): Promise<Job> {
  const { name, clock, deadline, signal } = wait;
  const reporter = warningOnce(wait.reporter);
  const tell = tellProgress(reporter);
  const startedAt = clock.monotonic();
  const history: Observation[] = [];
  const statuses = new Set<string>();
  for (let polls = 1, last = false; ; polls++) {
    const job = await wait.poll().catch((error: unknown) => {
      const before = history.at(-1);
      if (!(error instanceof AnswerCutOffError) || !before) throw error;
      throw deadlineExceeded(wait, before, polls, statuses);
    });
    if (job.isUnexpected) {
      reporter.warn(`${name} has the unknown status "${job.status}"; taken for still running`);
    }
    const poll = observed(job, clock.monotonic() - startedAt);
    remember(history, poll);
    if (statuses.size < MAX_STATUSES) statuses.add(poll.status);
    tell(history);
    if (job.outcome !== "pending") return job;
    if (last) throw deadlineExceeded(wait, poll, polls, statuses);
    const untilLastPollMs = Math.max(0, deadline.remainingMs() - LAST_POLL_MS);
    const delayMs = nextPollDelayMs(history, clock.random(), wait.inFlight());
    last = delayMs >= untilLastPollMs;
    await sleep(clock, last ? untilLastPollMs : delayMs, signal);
  }
}

/**
 * Tells each poll on the changing row, and by a line that stays each quarter of a job that takes its time: what a narrow
 * terminal has no room for and the log of a pipeline does not have.
 */
function tellProgress(reporter: Reporter): (history: readonly Observation[]) => void {
  let quarters = 0;
  let toldMs = 0;
  return (history) => {
    const line = describeProgress(history);
    reporter.progress(line);
    const { progress = 0, elapsedMs = 0 } = history.at(-1) ?? {};
    const sinceMs = elapsedMs - toldMs;
    const reached = Math.floor(progress / 25);
    if (sinceMs < LASTING_MIN_MS || (reached <= quarters && sinceMs < LASTING_MAX_MS)) return;
    reporter.info(line);
    quarters = reached;
    toldMs = elapsedMs;
  };
}

/** What the schedule and the progress are made from: no more, for the polls of a long wait are kept. */
function observed({ status, progress, pageCount, retryAfterMs }: PolledJob, elapsedMs: number): Observation {
  return {
    elapsedMs,
    status,
    ...(progress !== undefined && { progress }),
    ...(pageCount !== undefined && { pageCount }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

function deadlineExceeded(
  { subject, deadline }: Pick<JobWait<unknown>, "subject" | "deadline">,
  { status, progress, pageCount }: Observation,
  polls: number,
  statuses: ReadonlySet<string>,
): DeadlineExceededError {
  const details = [
    status,
    progress === undefined ? [] : `${Math.floor(progress)}%`,
    pageCount === undefined ? [] : `${pageCount} pages`,
  ].flat();
  return new DeadlineExceededError(
    `waited for ${subject}, but the time limit of ${formatDuration(deadline.limitMs)} passed. ` +
      `Last seen: ${details.join(", ")}. ${polls} polls in all, statuses: ${[...statuses].join(" → ")}`,
    "Run `pulumi up` again to go on with the same job; raise the limit with the resource option customTimeouts.",
  );
}
