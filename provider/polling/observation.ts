/** What one poll of a job showed. */
export interface Observation {
  /** Milliseconds since the wait began. */
  readonly elapsedMs: number;
  readonly status: string;
  /** Percent, 0 to 100. */
  readonly progress?: number;
  readonly pageCount?: number;
  /** The pause that the service asked for with this poll, in milliseconds. */
  readonly retryAfterMs?: number;
}
