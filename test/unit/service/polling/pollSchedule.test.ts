import fc from "fast-check";
import { expect, test } from "vitest";
import { Secrets } from "../../../../provider/base/runtime/messages/secrets.ts";
import { readExportJob } from "../../../../provider/service/exportJob.ts";
import type { Observation } from "../../../../provider/service/polling/forecast.ts";
import { nextPollDelayMs } from "../../../../provider/service/polling/pollSchedule.ts";

/** The shortest and the longest pause of a single wait, in milliseconds. */
const FLOOR_MS = 900;
const CAP_MS = 9_900;
const LONG_WAIT_CAP_MS = 60_000;

const poll = (seconds: number, progress?: number): Observation => ({
  elapsedMs: seconds * 1_000,
  status: "running",
  ...(progress !== undefined && { progress }),
});
/** Polls a job at a pace of one percent in `secondsPerPercent`, one poll a percent. */
const steady = (secondsPerPercent: number, untilPercent: number): Observation[] =>
  Array.from({ length: untilPercent + 1 }, (_, percent) => poll(percent * secondsPerPercent, percent));
const delay = (history: readonly Observation[], random = 0.5, runningOperations = 1): number =>
  nextPollDelayMs(history, random, runningOperations);

/** The pauses of a whole wait for a job whose progress is a function of the time, in seconds, until `endSeconds`. */
function pauses(progress: (seconds: number) => number | undefined, endSeconds: number): number[] {
  const history = [poll(0, progress(0))];
  const seen: number[] = [];
  for (let seconds = 0; seconds < endSeconds; history.push(poll(seconds, progress(seconds)))) {
    seen.push(delay(history));
    seconds += (seen.at(-1) ?? NaN) / 1_000;
  }
  return seen;
}

test("without progress the first pauses are short, and grow to the bound within half a minute", () => {
  const seen = pauses(() => undefined, 60).map((pause) => Math.round(pause / 100) / 10);
  expect(seen.slice(0, 7)).toEqual([1, 1, 1.6, 2.9, 5.2, 9.3, 9.4]);
});

test("before the first poll the pause is the shortest", () => {
  expect(delay([])).toBe(1_000);
});

test("a steady job is polled ever more often as its end comes near", () => {
  expect(delay(steady(1, 50))).toBe(CAP_MS * 0.95);
  expect(delay(steady(1, 90))).toBeCloseTo(9_500 / 1.5);
  expect(delay(steady(1, 95))).toBeCloseTo(4_500 / 1.5);
  expect(delay(steady(1, 99))).toBe(1_000);
  expect(delay(steady(5, 99))).toBeCloseTo(0.004 * 495_000);
});

test("past the forecast end pauses grow with the time since", () => {
  const standingStill = (seconds: number): number => delay([...steady(1, 99), poll(99 + seconds, 99)]);
  expect(standingStill(1)).toBe(1_000);
  expect(standingStill(60.5)).toBeCloseTo(3_000);
  expect(standingStill(1_000)).toBe(CAP_MS * 0.95);
});

test("only steady progress lengthens the pauses of a wait of more than ten minutes", () => {
  expect(delay(steady(25, 50))).toBeCloseTo((1_250_000 / 60) * 0.95);
  expect(delay(steady(250, 50))).toBe(LONG_WAIT_CAP_MS * 0.95);
  expect(delay([poll(0, 40), ...steady(25, 50).slice(41)])).toBeCloseTo((1_250_000 / 60) * 0.95); // seen from 40 % on
  const largeSteps = [0, 5, 10, 15, 20].map((percent) => poll(percent * 60, percent));
  expect(delay(largeSteps)).toBeCloseTo((1_200_000 / 60) * 0.95);
  const jumped = [poll(0, 0), poll(100, 4), poll(200, 8), poll(300, 13.1), poll(1_250, 14)];
  expect(delay(jumped)).toBe(CAP_MS * 0.95);
  expect(delay([...steady(25, 50), poll(3_600, 50)])).toBe(CAP_MS * 0.95); // overdue
  expect(delay([poll(1_250)])).toBe(CAP_MS * 0.95); // not reported
});

test("pauses vary by a tenth either way, at the bound downwards only", () => {
  expect([0, 0.5, 1].map((random) => delay([poll(5)], random))).toEqual([3_600, 4_000, 4_400]);
  expect([0, 0.5, 1].map((random) => delay([poll(500)], random))).toEqual([9_900, 9_405, 8_910]);
});

test("Retry-After has priority, up to five minutes", () => {
  const asked = (retryAfterMs: number): Observation[] => [{ ...poll(5), retryAfterMs }];
  expect(delay(asked(30_000))).toBe(30_000);
  expect(delay(asked(1_000))).toBe(4_000);
  expect(delay(asked(86_400_000))).toBe(300_000);
  expect(delay([...asked(30_000), poll(36)])).toBeLessThanOrEqual(CAP_MS); // only the newest poll's counts
});

test("many waits share twenty polls a second, however many there are", () => {
  expect(delay([poll(0), poll(5)], 0.5, 100)).toBe(5_000);
  expect(delay([poll(0), poll(5)], 0.5, 1_000)).toBe(50_000);
  expect(delay([poll(0), poll(5)], 0.5, 20)).toBe(4_000);
  expect(delay([poll(0), poll(5)], 0.9, 1_000)).toBeCloseTo(54_000);
});

test("waits that begin together spread evenly over their first round", () => {
  expect([0.1, 0.5, 0.9].map((random) => delay([poll(0)], random, 1_000))).toEqual([5_000, 25_000, 45_000]);
  expect(delay([poll(0)], 0, 1_000)).toBe(FLOOR_MS);
});

test.each([80, NaN, -5, 150, "42", null, undefined])(
  "T10 progress falls from 80 to 20 and %s: the schedule stays within its bounds",
  (reported) => {
    const read = (progress: unknown): number | undefined =>
      readExportJob("7", {
        endpoint: "GET",
        dateMs: 0,
        body: { status: "running", progress },
        secrets: new Secrets(),
      }).progress;
    const reported20 = [80, 20, reported, 20, reported];
    const seen = pauses((seconds) => read(reported20[Math.floor(seconds / 3) % reported20.length]), 900);
    expect(Math.min(...seen)).toBeGreaterThanOrEqual(FLOOR_MS);
    expect(Math.max(...seen)).toBeLessThanOrEqual(CAP_MS);
  },
);

test("T11 a job that continues for ten minutes at 100 percent is not polled in a hot loop", () => {
  const seen = pauses((seconds) => Math.min(100, Math.floor(seconds)), 700);
  expect(Math.min(...seen)).toBeGreaterThanOrEqual(FLOOR_MS);
  expect(seen.length).toBeLessThan(140); // a loop of 10 s takes 70
  expect(pauses(() => 100, 600).length).toBeLessThan(75);
});

const history = fc
  .array(
    fc.record(
      {
        gapMs: fc.double({ min: 0, max: 400_000, noNaN: true }),
        status: fc.constant("running"),
        progress: fc.oneof(
          fc.integer({ min: 0, max: 100 }),
          fc.double({ min: 0, max: 100, noNaN: true }),
          fc.constantFrom(0, 99, 100),
        ),
      },
      { requiredKeys: ["gapMs", "status"] },
    ),
    { minLength: 1, maxLength: 40 },
  )
  .chain((polls) =>
    // as it comes, or as a well-behaved job would report it
    fc.boolean().map((sorted) => {
      const percents = polls.map(({ progress }) => progress ?? 0).sort((a, b) => a - b);
      let elapsedMs = 0;
      return polls.map(({ gapMs, progress, ...rest }, index): Observation => {
        elapsedMs += gapMs;
        const percent = sorted ? percents[index] : progress;
        return { ...rest, elapsedMs, ...(percent !== undefined && { progress: percent }) };
      });
    }),
  );
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test("with any reads, a pause is between the least and the longest: ten seconds in the first ten minutes", () => {
  fc.assert(
    fc.property(history, chance, (polls, random) => {
      const pause = delay(polls, random);
      const elapsedMs = polls.at(-1)?.elapsedMs ?? 0;
      expect(pause).toBeGreaterThanOrEqual(FLOOR_MS);
      expect(pause).toBeLessThanOrEqual(elapsedMs <= 594_000 ? CAP_MS : LONG_WAIT_CAP_MS);
    }),
    { numRuns: 2_000 },
  );
});

test("with any reads and requested pauses, a pause is no shorter than the share of the polls and the requested one, within five minutes", () => {
  const ask = fc.double({ min: 0, max: 1e12, noNaN: true });
  fc.assert(
    fc.property(
      history,
      chance,
      ask,
      fc.integer({ min: 1, max: 2_000 }),
      (polls, random, asked, runningOperations) => {
        const pause = delay(
          [poll(0), ...polls, { ...poll(1e6), retryAfterMs: asked }],
          random,
          runningOperations,
        );
        expect(pause).toBeGreaterThanOrEqual(
          Math.max(FLOOR_MS, Math.min(asked, 300_000), runningOperations * 50 * 0.9),
        );
        expect(pause).toBeLessThanOrEqual(300_000);
      },
    ),
  );
});
