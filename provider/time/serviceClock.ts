import type { Clock } from "./clock";

/** What was seen of a wrong clock, to be remembered between operations. */
export interface ClockError {
  /** How far the machine's clock is ahead of the service's, in milliseconds; negative when it is behind. */
  readonly aheadMs: number;
  /** When that was seen, by the machine's clock: milliseconds since 1970. */
  readonly seenAtMs: number;
  /** The machine whose clock it is, see {@link Machine}. */
  readonly machine: string;
}

/** A machine and what its clock shows. */
export interface Machine {
  /** Tells machines apart: what is known of one clock says nothing about another. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** @param machine its name */
export function machineOf({ machine, clock }: { machine: string; clock: Clock }): Machine {
  return { name: machine, nowMs: clock.now() };
}

/** What is taken for no error, in milliseconds: `Date` headers count whole seconds, and replies take their time. */
const TOLERANCE_MS = 10_000;

/**
 * The error worth remembering.
 *
 * @param aheadMs as measured at a reply with a `Date` header; `undefined` when there was none
 */
export function clockErrorOf(machine: Machine, aheadMs: number | undefined): ClockError | undefined {
  if (aheadMs === undefined || Math.abs(aheadMs) <= TOLERANCE_MS) return undefined;
  return { aheadMs, seenAtMs: machine.nowMs, machine: machine.name };
}

/**
 * The service's time as well as it can be known without asking: milliseconds since 1970.
 *
 * @param known an earlier error; it counts on the machine that it was seen on, until its clock is put back
 * @param notBeforeMs a moment that has passed for sure, by the service's clock
 */
export function serviceTimeMs(
  { name, nowMs }: Machine,
  known: ClockError | undefined,
  notBeforeMs: number,
): number {
  const wasPutBack = known !== undefined && nowMs < known.seenAtMs - TOLERANCE_MS;
  const aheadMs = known?.machine === name && !wasPutBack ? known.aheadMs : 0;
  return Math.max(nowMs - aheadMs, notBeforeMs);
}
