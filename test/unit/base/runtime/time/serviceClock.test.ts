import { expect, test } from "vitest";
import {
  clockErrorOf,
  type Machine,
  serviceTimeMs,
} from "../../../../../provider/base/runtime/time/clock.ts";

const HOUR_MS = 3_600_000;
const NOON = Date.parse("2026-01-01T12:00:00Z");
const laptop = (nowMs: number): Machine => ({ name: "laptop", nowMs });

test.each([0, 10_000, -10_000, undefined])("%s ms ahead is too small an error to record", (aheadMs) => {
  expect(clockErrorOf(laptop(NOON), aheadMs)).toBeUndefined();
});

test.each([10_001, -10_001, 3 * HOUR_MS])("%i ms ahead is recorded, with machine and time", (aheadMs) => {
  expect(clockErrorOf(laptop(NOON), aheadMs)).toEqual({ aheadMs, seenAtMs: NOON, machine: "laptop" });
});

test.each([3 * HOUR_MS, -3 * HOUR_MS])(
  "a known error of %i ms is subtracted from later readings",
  (aheadMs) => {
    const known = clockErrorOf(laptop(NOON + aheadMs), aheadMs);
    expect(serviceTimeMs(laptop(NOON + aheadMs + HOUR_MS), known, 0)).toBe(NOON + HOUR_MS);
  },
);

test("without a known error the machine's clock counts", () => {
  expect(serviceTimeMs(laptop(NOON), undefined, 0)).toBe(NOON);
});

test("an error of another machine does not apply to this one", () => {
  const known = clockErrorOf({ name: "build agent", nowMs: NOON }, 3 * HOUR_MS);
  expect(serviceTimeMs(laptop(NOON), known, 0)).toBe(NOON);
});

test("an error no longer counts once the clock was set back before the time at which it was read", () => {
  const known = clockErrorOf(laptop(NOON + 3 * HOUR_MS), 3 * HOUR_MS);
  expect(serviceTimeMs(laptop(NOON + HOUR_MS), known, 0)).toBe(NOON + HOUR_MS);
});

test("a small step back, as time synchronisation makes it, is no repair", () => {
  const known = clockErrorOf(laptop(NOON + 3 * HOUR_MS), 3 * HOUR_MS);
  expect(serviceTimeMs(laptop(NOON + 3 * HOUR_MS - 10_000), known, 0)).toBe(NOON - 10_000);
});

test("it is never earlier than a time that has certainly passed", () => {
  expect(serviceTimeMs(laptop(NOON), undefined, NOON + HOUR_MS)).toBe(NOON + HOUR_MS);
  expect(serviceTimeMs(laptop(NOON), undefined, NOON - HOUR_MS)).toBe(NOON);
});
