import { DeadlineExceededError } from "../base/runtime/messages/errors";
import { type Deadline, startDeadline } from "../base/runtime/time/clock";
import { formatDuration } from "../base/runtime/time/duration";
import type { Context } from "./context";

/** Extra time, in milliseconds: code that observes the deadline ends within it and reports what it waited for. */
const GRACE_MS = 500;

/** The context of an operation with a time limit. */
export type LimitedContext = Context & { readonly deadline: Deadline };

/**
 * Runs an operation with a time limit. Requests watch the deadline themselves. For all other work (hashing, unpacking, writing
 * files) the operation's signal aborts soon after the deadline: its reason is then a `DeadlineExceededError`.
 *
 * @param limitMs time limit in milliseconds
 */
export async function withinLimit<Given extends Pick<Context, "clock" | "signal">, Result>(
  given: Given,
  limitMs: number,
  run: (context: Given & { readonly deadline: Deadline }) => Promise<Result>,
): Promise<Result> {
  const deadline = startDeadline(given.clock, limitMs);
  const limit = new AbortController();
  let stop = (): void => undefined;
  const watch = (): void => {
    stop = given.clock.after(deadline.remainingMs() + GRACE_MS, () => {
      if (deadline.remainingMs() > 0) return watch(); // it was paused
      limit.abort(
        new DeadlineExceededError(
          `the time limit of ${formatDuration(limitMs)} passed`,
          "Run `pulumi up` again. Raise the limit with the resource option customTimeouts if the work takes longer.",
        ),
      );
    });
  };
  watch();
  try {
    return await run({ ...given, deadline, signal: AbortSignal.any([given.signal, limit.signal]) });
  } finally {
    stop();
  }
}
