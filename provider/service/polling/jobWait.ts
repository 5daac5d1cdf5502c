import type { NetworkContext } from "../../base/http/attempt";
import { AnswerCutOffError, DeadlineExceededError } from "../../base/runtime/messages/errors";
import { type Reporter, warningOnce } from "../../base/runtime/messages/reporter";
import { sleep } from "../../base/runtime/time/clock";
import { formatDuration } from "../../base/runtime/time/duration";
import { type Observation, remember } from "./forecast";
import { nextPollDelayMs } from "./pollSchedule";
import { figuresOf, reportProgress } from "./progressLines";

/** How long before the deadline the last poll starts, in milliseconds: time for one request. */
const LAST_POLL_MS = 1_000;
/** Maximum number of different statuses that the message of a deadline names. */
const MAX_STATUSES = 20;

/** Whether a job is pending or final. Only the code that reads a reply decides this. */
export type JobOutcome = "pending" | "success" | "failure";

/** The result of one poll of a job. */
export interface PolledJob extends Omit<Observation, "elapsedMs"> {
  /** Meaning of the status. */
  readonly outcome: JobOutcome;
  /** Whether the API does not name the status: what it counts as may be wrong, and the wait warns about it. */
  readonly isUnexpected: boolean;
}

/** A job to wait for, and the parts that the wait needs. */
interface JobWait<Job> extends Pick<NetworkContext, "clock" | "deadline" | "reporter" | "signal"> {
  /** Name of the job in warnings: "job 42". */
  readonly name: string;
  /** The awaited event, for the message of a deadline: "job 42 of docs.example.com to complete". */
  readonly subject: string;
  /** Polls the job once. An error ends the wait. */
  readonly poll: () => Promise<Job>;
  /** Number of operations that this process is running. */
  readonly runningOperations: () => number;
}

/**
 * Waits until a job is final, and reports progress on the resource's row. It polls at once, then on the schedule of
 * `pollSchedule`, and a last time just before the deadline. It warns once about each unknown status.
 *
 * @returns the first final state seen
 * @throws DeadlineExceededError, the signal's reason, or what `poll` throws
 */
export async function waitForJob<Job extends PolledJob>(wait: JobWait<Job>): Promise<Job> {
  const { name, subject, clock, deadline, signal } = wait;
  const reporter = warningOnce(wait.reporter);
  const report = reportProgress(reporter);
  const startedAt = clock.monotonic();
  const history: Observation[] = [];
  const statuses = new Set<string>();
  let polls = 0;
  const tooLate = (seen: Observation): DeadlineExceededError =>
    new DeadlineExceededError(
      `waited for ${subject}, but the time limit of ${formatDuration(deadline.limitMs)} passed. ` +
        `Last seen: ${[seen.status, ...figuresOf(seen)].join(", ")}. ${polls} polls in all, statuses: ${[...statuses].join(" → ")}`,
      "Run `pulumi up` again to continue with the same job, or raise the limit with the resource option customTimeouts.",
    );
  for (let isLast = false; ;) {
    polls++;
    const job = await wait.poll().catch((error: unknown) => {
      const before = history.at(-1);
      throw error instanceof AnswerCutOffError && before ? tooLate(before) : error;
    });
    if (job.isUnexpected) warnOfStatus(name, job, reporter);
    // no other fields, because a long wait keeps its polls
    const { status, progress, pageCount, retryAfterMs } = job;
    const poll = { elapsedMs: clock.monotonic() - startedAt, status, progress, pageCount, retryAfterMs };
    remember(history, poll);
    if (statuses.size < MAX_STATUSES) statuses.add(status);
    report(history, job.outcome !== "pending");
    if (job.outcome !== "pending") return job;
    if (isLast) throw tooLate(poll);
    const untilLastPollMs = Math.max(0, deadline.remainingMs() - LAST_POLL_MS);
    const delayMs = nextPollDelayMs(history, clock.random(), wait.runningOperations());
    isLast = delayMs >= untilLastPollMs;
    await sleep(clock, isLast ? untilLastPollMs : delayMs, signal);
  }
}

/** The error of a failure names the status itself. */
function warnOfStatus(name: string, { status, outcome }: PolledJob, reporter: Reporter): void {
  if (outcome === "pending") {
    reporter.warn(`${name} has the unknown status "${status}"; it counts as still running`);
  }
  if (outcome === "success") reporter.warn(`${name} has the status "${status}", which counts as completed`);
}
