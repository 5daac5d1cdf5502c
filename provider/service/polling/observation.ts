/** Whether a job is pending or final. Only the code that reads a reply decides this. */
export type Outcome = "pending" | "success" | "failure";

/** The result of one poll, as the history keeps it. */
export interface Observation {
  /** Milliseconds since the wait began. */
  readonly elapsedMs: number;
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
