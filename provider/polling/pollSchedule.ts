import type { Observation } from "./observation";
import { estimateRemainingMs, progressSteps } from "./remainingTime";
import { MAX_RETRY_AFTER_MS } from "../http/retryPolicy";

/** Shortest pause, in milliseconds. */
const MIN_DELAY_MS = 1_000;
/** Longest pause, in milliseconds: with its request a poll then comes within about ten seconds of the job's end. */
const MAX_DELAY_MS = 9_900;
/** Longest pause of a long wait whose steady progress says that the end is far, as a part of the time waited. */
const LONG_WAIT_STEP = 1 / 60;
/** Longest pause in any wait, in milliseconds. */
const LONG_WAIT_MAX_DELAY_MS = 60_000;
/** A step of more percentage points than this says that progress moves in jumps, of which the last one can come at any time. */
const JUMP_PERCENT = 5;
/** While nothing can be foretold: pause as a part of the time waited so far. */
const BLIND_STEP = 0.8;
/** While the end is foretold: pause as a part of what remains. Forecasts that are half as long again do no harm. */
const FORECAST_STEP = 1 / 1.5;
/** Near the end: pause as a part of the time waited, up to a bound in milliseconds. The lag is about half of it. */
const END_STEP = 0.004;
const END_MAX_DELAY_MS = 5_000;
/** Past the foretold end: pause as a part of the time since then, so that progress that stands at 99 % is not hammered. */
const OVERDUE_STEP = 0.05;
/** Every pause is varied by up to this part, so that many programs do not ask in step. */
const JITTER = 0.1;
/** Polls per second that all waits of one process share, so that a large stack does not hammer the service. */
const POLLS_PER_SECOND = 20;

/**
 * When to poll next: soon at first, then most of the way to the end that progress foretells, ever closer near it. A pure
 * function of what was seen, so that it is measured on a virtual clock (`npm run bench -- lag`).
 *
 * @param history the polls so far, the newest last
 * @param random a number in [0, 1)
 * @param inFlight how many operations this process waits for at the moment
 * @returns the pause in milliseconds
 */
export function nextPollDelayMs(history: readonly Observation[], random: number, inFlight: number): number {
  const shareMs = (inFlight * 1_000) / POLLS_PER_SECOND;
  const longestMs = longestDelayMs(history);
  const plannedMs = Math.max(MIN_DELAY_MS, plannedDelayMs(history));
  const variedMs = Math.min(plannedMs * (1 + JITTER * (2 * random - 1)), longestMs * (1 - JITTER * random));
  // waits that began together spread over the time that their first round takes
  const turnMs = shareMs * (history.length > 1 ? 1 + JITTER * (2 * random - 1) : random);
  const askedMs = Math.min(MAX_RETRY_AFTER_MS, history.at(-1)?.retryAfterMs ?? 0);
  return Math.max(variedMs, turnMs, askedMs);
}

function plannedDelayMs(history: readonly Observation[]): number {
  const elapsedMs = history.at(-1)?.elapsedMs ?? 0;
  const remainingMs = estimateRemainingMs(history);
  if (remainingMs === undefined) return BLIND_STEP * elapsedMs;
  const endMs = Math.min(END_MAX_DELAY_MS, END_STEP * elapsedMs);
  return Math.max(endMs, remainingMs > 0 ? FORECAST_STEP * remainingMs : OVERDUE_STEP * -remainingMs);
}

/** Only progress that has gone steadily so far, and is not overdue, is trusted with a longer pause. */
function longestDelayMs(history: readonly Observation[]): number {
  const longMs = Math.min(LONG_WAIT_MAX_DELAY_MS, LONG_WAIT_STEP * (history.at(-1)?.elapsedMs ?? 0));
  if (longMs <= MAX_DELAY_MS || (estimateRemainingMs(history) ?? 0) <= 0) return MAX_DELAY_MS;
  const steps = progressSteps(history);
  const jumps = steps.some(
    ({ progress }, index) => progress - (steps[index - 1]?.progress ?? progress) > JUMP_PERCENT,
  );
  return jumps ? MAX_DELAY_MS : longMs;
}
