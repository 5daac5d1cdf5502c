import fc from "fast-check";
import { expect, test } from "vitest";
import { remember } from "../../../provider/waiting/lookHistory.ts";
import type { Observation } from "../../../provider/waiting/observation.ts";
import { nextPollDelayMs } from "../../../provider/waiting/pollSchedule.ts";
import { estimateRemainingMs } from "../../../provider/waiting/remainingTime.ts";

const look = (seconds: number, progress?: number): Observation => ({
  elapsedMs: seconds * 1_000,
  status: "running",
  ...(progress !== undefined && { progress }),
});

function remembered(looks: readonly Observation[]): Observation[] {
  const history: Observation[] = [];
  for (const one of looks) remember(history, one);
  return history;
}

test("of the looks at one percentage the first and the last are remembered", () => {
  const looks = [look(0), look(1), look(2), look(3, 0), look(4, 0), look(5, 0), look(6, 1)];
  expect(remembered(looks)).toEqual([look(0), look(2), look(3, 0), look(5, 0), look(6, 1)]);
});

test("a job that waits a day is remembered by two looks without progress, by some two hundred with it", () => {
  const day = (progress: (second: number) => number | undefined): Observation[] =>
    Array.from({ length: 86_400 }, (_, second) => look(second, progress(second)));
  expect(remembered(day(() => undefined))).toHaveLength(2);
  expect(remembered(day((second) => Math.floor(second / 864))).length).toBeLessThanOrEqual(202);
  const fractions = remembered(day((second) => second / 864));
  expect(fractions).toHaveLength(210);
  expect(estimateRemainingMs(fractions)).toBeLessThan(2_000);
});

test("what is forgotten changes neither the forecast nor the next pause of a job that tells whole percents", () => {
  const percents = fc.array(fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }), {
    maxLength: 100,
  });
  const repeats = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 100, maxLength: 100 });
  fc.assert(
    fc.property(percents, repeats, (told, times) => {
      const looks = told
        .flatMap((percent, index) => Array.from({ length: times[index] ?? 1 }, () => percent))
        .map((percent, index) => look(index * 3, percent));
      const history = remembered(looks);
      expect(estimateRemainingMs(history)).toBe(estimateRemainingMs(looks));
      if (looks.length > 1) expect(nextPollDelayMs(history, 0.5, 1)).toBe(nextPollDelayMs(looks, 0.5, 1));
    }),
  );
});
