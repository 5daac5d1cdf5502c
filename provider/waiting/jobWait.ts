import type { Observation } from "./observation";
import { describeProgress } from "./progress";
import type { Outcome } from "../words/outcome";
import { warningOnce, type Reporter } from "../words/reporter";
import { waitUntilFinal, type Wait } from "./waiter";

/** Shortest and longest time between two lines that stay, in milliseconds. */
const LASTING_MIN_MS = 10_000;
const LASTING_MAX_MS = 5 * 60_000;

/** What is seen of a job. */
export interface JobLook extends Omit<Observation, "elapsedMs"> {
  readonly outcome: Outcome;
  /** The status is none that is known: taken for «still running», which deserves a word. */
  readonly isUnexpected: boolean;
}

/** A job to wait for. */
export interface JobWait<Job> extends Omit<Wait<Job>, "isFinal" | "describe" | "onLook"> {
  /** As warnings name it: "job 42". */
  readonly name: string;
  readonly reporter: Reporter;
}

/**
 * Waits until a job is final, with progress on the resource's row. Each status that is not known is named once.
 *
 * @returns the first final state seen
 * @throws DeadlineExceededError, the signal's reason, or what `look` throws
 */
export function waitForJob<Job extends JobLook>(wait: JobWait<Job>): Promise<Job> {
  const { name, look } = wait;
  const reporter = warningOnce(wait.reporter);
  return waitUntilFinal<Job>({
    ...wait,
    look: async () => {
      const job = await look();
      if (job.isUnexpected) {
        reporter.warn(`${name} has the unknown status "${job.status}"; taken for still running`);
      }
      return job;
    },
    isFinal: ({ outcome }) => outcome !== "pending",
    describe: observed,
    onLook: tellProgress(reporter),
  });
}

/**
 * Tells each look on the changing row, and by a line that stays each quarter of a job that takes its time: what a narrow
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

/** What the schedule and the progress are made from: no more, for the looks of a long wait are kept. */
function observed({ status, progress, pageCount, retryAfterMs }: JobLook): Omit<Observation, "elapsedMs"> {
  return {
    status,
    ...(progress !== undefined && { progress }),
    ...(pageCount !== undefined && { pageCount }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}
