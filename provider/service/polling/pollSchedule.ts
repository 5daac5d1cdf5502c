import { MAX_RETRY_AFTER_MS } from "../../base/http/retryPolicy";
import { estimateRemainingMs, type Observation, progressSteps } from "./forecast";

/** Shortest pause, in milliseconds. */
const MIN_DELAY_MS = 1_000;
/** Longest pause, in milliseconds: with its request, a poll finishes within about ten seconds of the job's end. */
const MAX_DELAY_MS = 9_900;
/** Longest pause of a long wait whose steady progress shows that the end is far, as a fraction of the elapsed time. */
const LONG_WAIT_STEP = 1 / 60;
/** Longest pause in any wait, in milliseconds. */
const LONG_WAIT_MAX_DELAY_MS = 60_000;
/** A step of more percentage points than this means that progress jumps: the job may end at any time. */
const JUMP_PERCENT = 5;
/** Without a forecast: pause as a fraction of the elapsed time. */
const BLIND_STEP = 0.8;
/** With a forecast: pause as a fraction of the remaining time. A forecast that is 50 % too long does no harm. */
const FORECAST_STEP = 1 / 1.5;
/** Near the end: pause as a fraction of the elapsed time, with a maximum in milliseconds. The lag is about half of it. */
const END_STEP = 0.004;
const END_MAX_DELAY_MS = 5_000;
/** After the forecast end: pause as a fraction of the time since then, to avoid frequent polls of a job that stays at 99 %. */
const OVERDUE_STEP = 0.05;
/** Jitter of every pause, as a fraction: it prevents many programs from polling in step. */
const JITTER = 0.1;
/** Polls per second that all waits of one process share, so that a large stack does not overload the service. */
const POLLS_PER_SECOND = 20;

/**
 * When to poll next: soon at first, then after most of the forecast remaining time, and more often near the end. It is a pure
 * function of the polls, so that a virtual clock can measure it (`npm run bench -- lag`).
 *
 * @param history the polls so far, newest last
 * @param random a number in [0, 1)
 * @param runningOperations number of operations that this process is running
 * @returns the pause in milliseconds
 */
export function nextPollDelayMs(
  history: readonly Observation[],
  random: number,
  runningOperations: number,
): number {
  const shareMs = (runningOperations * 1_000) / POLLS_PER_SECOND;
  const longestMs = longestDelayMs(history);
  const plannedMs = Math.max(MIN_DELAY_MS, plannedDelayMs(history));
  const variedMs = Math.min(plannedMs * (1 + JITTER * (2 * random - 1)), longestMs * (1 - JITTER * random));
  // waits that began together spread over the duration of their first round
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

/** Only a job with steady progress that is not overdue gets a longer pause. */
function longestDelayMs(history: readonly Observation[]): number {
  const longMs = Math.min(LONG_WAIT_MAX_DELAY_MS, LONG_WAIT_STEP * (history.at(-1)?.elapsedMs ?? 0));
  if (longMs <= MAX_DELAY_MS || (estimateRemainingMs(history) ?? 0) <= 0) return MAX_DELAY_MS;
  const steps = progressSteps(history);
  const jumps = steps.some(
    ({ progress }, index) => progress - (steps[index - 1]?.progress ?? progress) > JUMP_PERCENT,
  );
  return jumps ? MAX_DELAY_MS : longMs;
}
