import { createHash } from "node:crypto";
import { NotFoundError } from "../base/runtime/messages/errors";
import { type Clock, sleep } from "../base/runtime/time/clock";

/** How long to wait for what others ask for at the same time, in milliseconds: the engine calls a provider for many resources at once. */
const OTHERS_MS = 1_000;
/** Longest wait for their replies, in milliseconds. */
const ANSWERS_MS = 20_000;
/** Time between two looks at them, in milliseconds. */
const INTERVAL_MS = 250;

/**
 * What one process learned of the jobs of an account, that is of a base URL and a key. To a key of another account, a service answers
 * 404 as for a job that is gone: one reply cannot tell which.
 */
export class JobsOfAccount {
  readonly #missing = new Set<string>();
  #isAnyFound = false;
  #asked = 0;

  /** How many different export jobs were missing. */
  get missing(): number {
    return this.#missing.size;
  }

  /**
   * Asks for a job, and notes the reply.
   *
   * @param exportId of an export job. An agent's job has none: it proves that the account is the right one, and not that it is another
   */
  async ask<Job>(exportId: string | undefined, look: () => Promise<Job>): Promise<Job> {
    this.#asked++;
    try {
      const job = await look();
      this.#isAnyFound = true;
      if (exportId !== undefined) this.#missing.delete(exportId);
      return job;
    } catch (error) {
      if (error instanceof NotFoundError && exportId !== undefined) this.#missing.add(exportId);
      throw error;
    } finally {
      this.#asked--;
    }
  }

  /**
   * Whether the missing jobs of a resource are gone: the account has another one, or no other resource's is missing. Waits for what
   * others ask for now.
   *
   * @param own the jobs of the resource: that of its link, and that of an interrupted update
   * @throws the signal's reason
   */
  async isGone(
    own: ReadonlySet<string>,
    { clock, signal }: { clock: Clock; signal: AbortSignal },
  ): Promise<boolean> {
    const beganAt = clock.monotonic();
    for (;;) {
      const waitedMs = clock.monotonic() - beganAt;
      if (this.#isAnyFound) return true;
      if (waitedMs >= (this.#asked > 0 ? ANSWERS_MS : OTHERS_MS)) {
        return [...this.#missing].every((jobId) => own.has(jobId));
      }
      await sleep(clock, INTERVAL_MS, signal);
    }
  }
}

/** The jobs that one process asked for, by account. */
export class JobsSeen {
  readonly #byDigest = new Map<string, JobsOfAccount>();

  of(baseUrl: string, key: string): JobsOfAccount {
    const digest = createHash("sha256").update(`${baseUrl}\n${key}`).digest("hex");
    const jobs = this.#byDigest.get(digest) ?? new JobsOfAccount();
    this.#byDigest.set(digest, jobs);
    return jobs;
  }
}
