import type { Clock } from "./clock";

/** The end of an operation's time limit. */
export interface Deadline {
  /** The limit as the user set it, in milliseconds. */
  readonly limitMs: number;
  /** Milliseconds since the operation began. */
  elapsedMs(): number;
  /** Milliseconds left, 0 when the limit has passed. */
  remainingMs(): number;
}

export function startDeadline(clock: Clock, limitMs: number): Deadline {
  const startedAt = clock.monotonic();
  const elapsedMs = (): number => clock.monotonic() - startedAt;
  return { limitMs, elapsedMs, remainingMs: () => Math.max(0, limitMs - elapsedMs()) };
}
