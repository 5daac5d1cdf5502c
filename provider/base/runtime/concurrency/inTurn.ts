import type { Deadline } from "../time/clock";
import type { Semaphore } from "./semaphore";

/** What waits for its turn: an operation. */
interface WaitingOperation {
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
  /** The operation's row. */
  readonly reporter: { progress(text: string): void };
}

/**
 * Runs work of an operation in its turn. The wait does not count towards the time limit.
 *
 * @param waiting what the operation's row says meanwhile
 * @throws as {@link Semaphore.run}
 */
export function inTurn<T>(
  semaphore: Semaphore,
  work: () => Promise<T>,
  { signal, deadline, reporter }: WaitingOperation,
  waiting: string,
): Promise<T> {
  let goOn = (): void => undefined;
  const run = (): Promise<T> => {
    goOn();
    return work();
  };
  return semaphore.run(run, signal, () => {
    reporter.progress(waiting);
    goOn = deadline.pause();
  });
}
