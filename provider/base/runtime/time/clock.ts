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
    return () => clearTimeout(timer);
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

/** Returns the result of the work. If the signal aborts, rejects with its reason at once, even if the work continues. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Waits for the work, at most for the limit; the work then continues. @returns whether it ended in time */
export async function endsWithin(
  work: Promise<unknown>,
  clock: Pick<Clock, "after">,
  limitMs: number,
): Promise<boolean> {
  let stop = (): void => undefined;
  const late = new Promise<false>((resolve) => (stop = clock.after(limitMs, () => resolve(false))));
  return Promise.race([work.then(() => true), late]).finally(stop);
}

/** The end of an operation's time limit. */
export interface Deadline {
  /** The limit as the user set it, in milliseconds. */
  readonly limitMs: number;
  /** Milliseconds since the operation began. */
  readonly elapsedMs: () => number;
  /** Milliseconds left, 0 when the limit has passed. */
  readonly remainingMs: () => number;
  /** The time does not count until the returned function is called. */
  readonly pause: () => () => void;
}

/** @param limitMs the limit as the user set it, in milliseconds */
export function startDeadline(clock: Clock, limitMs: number): Deadline {
  let startedAt = clock.monotonic();
  let pausedAt: number | undefined;
  const elapsedMs = (): number => (pausedAt ?? clock.monotonic()) - startedAt;
  return {
    limitMs,
    elapsedMs,
    remainingMs: (): number => Math.max(0, limitMs - elapsedMs()),
    pause() {
      const elapsed = elapsedMs();
      pausedAt = clock.monotonic();
      return () => {
        pausedAt = undefined;
        startedAt = clock.monotonic() - elapsed;
      };
    },
  };
}

/** A measured error of a machine's clock, stored between operations. */
export interface ClockError {
  /** How far the machine's clock is ahead of the service's, in milliseconds; negative when it is behind. */
  readonly aheadMs: number;
  /** When the error was measured, by the machine's clock: milliseconds since 1970. */
  readonly seenAtMs: number;
  /** The machine of the clock, see {@link Machine}. */
  readonly machine: string;
}

/** A machine and the time of its clock. */
export interface Machine {
  /** Identifies the machine. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** @param machine identifies the machine: a measured error applies only to that machine's clock */
export function machineOf({ machine, clock }: { machine: string; clock: Clock }): Machine {
  const nowMs = clock.now();
  return { name: machine, nowMs };
}

/**
 * Largest difference that does not count as an error, in milliseconds: `Date` headers count whole seconds, and replies take
 * time.
 */
const TOLERANCE_MS = 10_000;

/**
 * The clock error to store, if it is above the tolerance.
 *
 * @param aheadMs as measured from a reply with a `Date` header; `undefined` if there was none
 */
export function clockErrorOf(machine: Machine, aheadMs: number | undefined): ClockError | undefined {
  if (aheadMs === undefined || Math.abs(aheadMs) <= TOLERANCE_MS) return undefined;
  return { aheadMs, seenAtMs: machine.nowMs, machine: machine.name };
}

/**
 * The best estimate of the service's time without a request: milliseconds since 1970.
 *
 * @param known an earlier error; it applies only on the machine where it was measured, until that clock is set back
 * @param notBeforeMs a time by the service's clock that has certainly passed
 */
export function serviceTimeMs(
  { name, nowMs }: Machine,
  known: ClockError | undefined,
  notBeforeMs: number,
): number {
  const wasSetBack = known !== undefined && nowMs < known.seenAtMs - TOLERANCE_MS;
  const aheadMs = known?.machine === name && !wasSetBack ? known.aheadMs : 0;
  return Math.max(nowMs - aheadMs, notBeforeMs);
}
