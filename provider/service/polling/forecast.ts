/** The result of one poll, as the history keeps it. */
export interface Observation {
  /** Milliseconds since the wait began. */
  readonly elapsedMs: number;
  /** In lower case, redacted. */
  readonly status: string;
  /** Percent, 0 to 100. */
  readonly progress?: number | undefined;
  readonly pageCount?: number | undefined;
  /** The pause that the service requested with this poll, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** Maximum number of kept polls: enough for hours if progress is fractional, and for any time if it is in whole percents. */
const MAX_POLLS = 210;

/**
 * Adds a poll to the history of a wait. It drops polls that no forecast needs: those between the first and the last poll at a
 * percentage, and those before the last two hundred changes. So a wait of a day needs no more memory than one of an hour.
 */
export function remember(history: Observation[], poll: Observation): void {
  const [before, last] = [history.at(-2), history.at(-1)];
  if (before && before.progress === last?.progress && poll.progress === last?.progress) history.pop();
  history.push(poll);
  if (history.length > MAX_POLLS) history.shift();
}

/** A percentage, and when polls showed it: milliseconds since the wait began. */
interface ShownPercentage {
  readonly progress: number;
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
}

/** Number of different percentages that a forecast needs. */
const MIN_STEPS = 4;
/** Services report whole percents, rounded down: on average another half percent is done. */
const UNREPORTED_PERCENT = 0.5;
/** The recent pace covers as many percentage points as remain, at least this many. */
const MIN_RECENT_PERCENT = 10;

/** The percentages so far, each once, since progress last decreased. */
export function progressSteps(history: readonly Observation[]): readonly ShownPercentage[] {
  let steps: ShownPercentage[] = [];
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
 * Estimates the remaining time of the job: the mean of the pace since its first progress and the recent pace. It is the only
 * forecast of a wait: the poll schedule uses it, and the user sees it.
 *
 * @returns milliseconds from the last poll on, negative if the job is overdue; `undefined` if there are too few percentages
 *   for an estimate
 */
export function estimateRemainingMs(history: readonly Observation[]): number | undefined {
  const steps = progressSteps(history);
  const [first, last] = [steps[0], steps.at(-1)];
  if (!first || !last || steps.length < MIN_STEPS) return undefined;
  const stretch = Math.max(MIN_RECENT_PERCENT, 100 - last.progress);
  const recent = steps.findLast(({ progress }) => progress <= last.progress - stretch);
  // before its first progress the job may have waited in a queue
  const overall = msPerPercent(first.lastSeenMs, first, last);
  const pace = recent ? (overall + msPerPercent(recent.firstSeenMs, recent, last)) / 2 : overall;
  const now = history.at(-1)?.elapsedMs ?? 0;
  return (100 - Math.min(100, last.progress + UNREPORTED_PERCENT)) * pace - (now - last.firstSeenMs);
}

function msPerPercent(fromMs: number, from: ShownPercentage, to: ShownPercentage): number {
  return (to.firstSeenMs - fromMs) / (to.progress - from.progress);
}
