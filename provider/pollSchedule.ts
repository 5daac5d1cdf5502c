/** What one look at a job showed. */
export interface Observation {
  /** Milliseconds since the wait began. */
  readonly elapsedMs: number;
  readonly status: string;
  /** Percent, 0 to 100. */
  readonly progress?: number;
  readonly pageCount?: number;
}

/** First pause, in milliseconds. */
const MIN_DELAY_MS = 1_000;
/** Longest pause, in milliseconds: the lag behind the end of a job is never longer. */
const MAX_DELAY_MS = 10_000;
/** Looks per second that all waits of one process share, so that a large stack does not hammer the service. */
const LOOKS_PER_SECOND = 20;
/** Pause as a part of the time waited so far: bounds the lag to the same part of the job's duration. */
const RELATIVE_STEP = 0.1;
/** Every pause is varied by up to this part, so that many programs do not ask in step. */
const JITTER = 0.1;

/**
 * When to look next: soon at first, then after a tenth of the time waited so far, at most 10 s apart. A pure function
 * of what was seen, so that it can be measured on a virtual clock.
 *
 * @param random a number in [0, 1)
 * @param inFlight how many operations this process waits for at the moment
 * @returns the pause in milliseconds
 */
export function nextPollDelayMs(history: readonly Observation[], random: number, inFlight: number): number {
  const elapsedMs = history.at(-1)?.elapsedMs ?? 0;
  const shortestMs = Math.max(MIN_DELAY_MS, (inFlight * 1_000) / LOOKS_PER_SECOND);
  const delayMs = Math.min(MAX_DELAY_MS, Math.max(shortestMs, RELATIVE_STEP * elapsedMs));
  return Math.min(MAX_DELAY_MS, delayMs * (1 + JITTER * (2 * random - 1)));
}
