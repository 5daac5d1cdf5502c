import { unlessAborted } from "./unlessAborted";

/** Time and random numbers, injected so that tests control them. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970. May jump; only for comparing with dates of the service. */
  now(): number;
  /** Milliseconds from an arbitrary start, never going back. For every wait and limit. */
  monotonic(): number;
  /** Calls back once after `delayMs`, unless the returned function was called before. */
  after(delayMs: number, callback: () => void): () => void;
  /** A number in [0, 1), for jitter. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, Math.min(delayMs, MAX_TIMER_MS));
    return () => {
      clearTimeout(timer);
    };
  },
  random: () => Math.random(),
};

/** Longest delay of a Node.js timer, in milliseconds; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Resolves after `delayMs`; rejects with the signal's reason as soon as the signal aborts. It removes its listener. */
export async function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  let stop = (): void => undefined;
  const over = new Promise<void>((resolve) => (stop = clock.after(delayMs, resolve)));
  await unlessAborted(over, signal).finally(stop);
}
