import { allowedRepeats, type Fault, retryDelayMs } from "../../../base/http/retryPolicy";
import type { DestinationError } from "../../../base/runtime/messages/errors";
import { sleep } from "../../../base/runtime/time/clock";
import type { DestinationContext } from "../destination";

/** How often a request is sent that fails temporarily, with increasing delays: half a minute in all. */
const ATTEMPTS = 8;

/** The result of a request, or why it failed. Without a fault, it is not sent again. */
export type AnsweredOrFailed<T> =
  { readonly value: T } | { readonly error: DestinationError; readonly fault: Fault | undefined };

/**
 * Sends a request, again after temporary failures.
 *
 * @param send sends it once
 * @param failures before it that count: the pauses grow with them
 * @throws the last error; the signal's reason
 */
export async function untilAnswered<T>(
  { clock, deadline, signal }: Pick<DestinationContext, "clock" | "deadline" | "signal">,
  send: (isRepeat: boolean) => Promise<AnsweredOrFailed<T>>,
  failures = 0,
): Promise<T> {
  for (let isRepeat = false; ; isRepeat = true) {
    const outcome = await send(isRepeat);
    if ("value" in outcome) return outcome.value;
    const { error, fault } = outcome;
    failures++;
    if (fault === undefined || failures >= ATTEMPTS || failures > allowedRepeats(fault, "repeatable")) {
      throw error;
    }
    const delayMs = retryDelayMs(fault, failures, clock.random());
    if (delayMs >= deadline.remainingMs()) throw error;
    await sleep(clock, delayMs, signal);
  }
}
