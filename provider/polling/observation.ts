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
