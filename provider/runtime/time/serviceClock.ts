import type { Clock } from "./clock";

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
  /** Identifies the machine: a measured error applies only to that machine's clock. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** @param machine name of the machine */
export function machineOf({ machine, clock }: { machine: string; clock: Clock }): Machine {
  return { name: machine, nowMs: clock.now() };
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
