import type { Observation } from "./observation";
import { describeProgress } from "./progress";
import { warningOnce, type Reporter } from "../words/reporter";
import { waitUntilFinal, type Wait } from "./waiter";

/** A job to wait for. */
export interface JobWait<Job> extends Omit<Wait<Job>, "describe" | "onLook"> {
  /** As warnings name it: "job 42". */
  readonly name: string;
  /** What is seen of it beside its status. */
  readonly details: (job: Job) => Omit<Observation, "elapsedMs" | "status">;
  /** Whether a status is none that is known: taken for «still running», which deserves a word. */
  readonly isUnexpected: (job: Job) => boolean;
  readonly reporter: Reporter;
}

/**
 * Waits until a job is final, with progress on the resource's row. Each status that is not known is named once.
 *
 * @returns the first final state seen
 * @throws DeadlineExceededError, the signal's reason, or what `look` throws
 */
export function waitForJob<Job extends { readonly status: string }>(wait: JobWait<Job>): Promise<Job> {
  const { name, look, details, isUnexpected } = wait;
  const reporter = warningOnce(wait.reporter);
  return waitUntilFinal<Job>({
    ...wait,
    look: async () => {
      const job = await look();
      if (isUnexpected(job)) {
        reporter.warn(`${name} has the unknown status "${job.status}"; taken for still running`);
      }
      return job;
    },
    describe: (job) => ({ status: job.status, ...details(job) }),
    onLook: (history) => reporter.progress(describeProgress(history)),
  });
}
