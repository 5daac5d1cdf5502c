import type { Observation } from "./observation";

/** A percentage, and when it was seen: milliseconds since the wait began. */
interface Step {
  readonly progress: number;
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
}

/** How many different percentages must have been seen before a forecast is made. */
const MIN_STEPS = 4;
/** Services tell whole percents, rounded down: on average half of one more is done. */
const UNTOLD_PERCENT = 0.5;
/** The recent pace is taken over as many percentage points as are still to come, at least this many. */
const MIN_RECENT_PERCENT = 10;

/** The percentages seen so far, each once, since progress last went back. */
export function progressSteps(history: readonly Observation[]): readonly Step[] {
  let steps: Step[] = [];
  for (const { progress, elapsedMs } of history) {
    const last = steps.at(-1);
    if (progress === undefined) continue;
    if (last && progress < last.progress) steps = [];
    if (last?.progress === progress) steps.pop();
    const firstSeenMs = last?.progress === progress ? last.firstSeenMs : elapsedMs;
    steps.push({ progress, firstSeenMs, lastSeenMs: elapsedMs });
  }
  return steps;
}

/**
 * How long the job will go on, judged half by the pace of its progress since it first moved, half by its recent pace. The
 * one forecast of a wait: the next poll is planned from it, and it is what the user is told.
 *
 * @returns milliseconds from the last poll on, negative when the job should have ended by then; `undefined` while there is
 *   not enough to estimate from
 */
export function estimateRemainingMs(history: readonly Observation[]): number | undefined {
  const steps = progressSteps(history);
  const [first, last] = [steps[0], steps.at(-1)];
  if (!first || !last || steps.length < MIN_STEPS) return undefined;
  const stretch = Math.max(MIN_RECENT_PERCENT, 100 - last.progress);
  const recent = steps.findLast(({ progress }) => progress <= last.progress - stretch);
  // before the first movement the job may have waited in a queue
  const overall = msPerPercent(first.lastSeenMs, first, last);
  const pace = recent ? (overall + msPerPercent(recent.firstSeenMs, recent, last)) / 2 : overall;
  const now = history.at(-1)?.elapsedMs ?? 0;
  return (100 - Math.min(100, last.progress + UNTOLD_PERCENT)) * pace - (now - last.firstSeenMs);
}

function msPerPercent(fromMs: number, from: Step, to: Step): number {
  return (to.firstSeenMs - fromMs) / (to.progress - from.progress);
}
