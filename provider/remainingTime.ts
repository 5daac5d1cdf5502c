import type { Observation } from "./pollSchedule";

/** How many different percentages must have been seen before a forecast is made. */
const MIN_STEPS = 4;

/**
 * How long the job will go on, judged by the pace of its progress since it first moved.
 *
 * @returns milliseconds from the last look on; `undefined` while there is not enough to estimate from, when progress went
 *   back, or when it is slower than it was said to be
 */
export function estimateRemainingMs(history: readonly Observation[]): number | undefined {
  const seen = history.flatMap(({ progress, elapsedMs }) =>
    progress === undefined ? [] : [{ progress, elapsedMs }],
  );
  const now = history.at(-1)?.elapsedMs ?? 0;
  const steps = seen.filter(({ progress }, index) => progress !== seen[index - 1]?.progress);
  if (steps.length < MIN_STEPS) return undefined;
  if (steps.some(({ progress }, index) => progress < (steps[index - 1]?.progress ?? 0))) return undefined;
  const last = steps.at(-1);
  const first = seen.findLast(({ progress }) => progress === steps[0]?.progress);
  if (!first || !last) return undefined;
  const msPerPercent = (last.elapsedMs - first.elapsedMs) / (last.progress - first.progress);
  const remainingMs = (100 - last.progress) * msPerPercent - (now - last.elapsedMs);
  return remainingMs > 0 ? remainingMs : undefined;
}
