import fc from "fast-check";
import { expect, test } from "vitest";
import {
  estimateRemainingMs,
  type Observation,
  remember,
} from "../../../../provider/service/polling/forecast.ts";
import { nextPollDelayMs } from "../../../../provider/service/polling/pollSchedule.ts";

const poll = (seconds: number, progress?: number): Observation => ({
  elapsedMs: seconds * 1_000,
  status: "running",
  ...(progress !== undefined && { progress }),
});

function remembered(polls: readonly Observation[]): Observation[] {
  const history: Observation[] = [];
  for (const one of polls) remember(history, one);
  return history;
}

test("of the polls at one percentage the first and the last are remembered", () => {
  const polls = [poll(0), poll(1), poll(2), poll(3, 0), poll(4, 0), poll(5, 0), poll(6, 1)];
  expect(remembered(polls)).toEqual([poll(0), poll(2), poll(3, 0), poll(5, 0), poll(6, 1)]);
});

test("a job of a day is remembered by two polls without progress, by some two hundred with it", () => {
  const day = (progress: (second: number) => number | undefined): Observation[] =>
    Array.from({ length: 86_400 }, (_, second) => poll(second, progress(second)));
  expect(remembered(day(() => undefined))).toHaveLength(2);
  expect(remembered(day((second) => Math.floor(second / 864))).length).toBeLessThanOrEqual(202);
  const fractions = remembered(day((second) => second / 864));
  expect(fractions).toHaveLength(210);
  expect(estimateRemainingMs(fractions)).toBeLessThan(2_000);
});

test("forgetting polls changes neither the forecast nor the next pause of a job with whole percents", () => {
  const percents = fc.array(fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }), {
    maxLength: 100,
  });
  const repeats = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 100, maxLength: 100 });
  fc.assert(
    fc.property(percents, repeats, (reported, times) => {
      const polls = reported
        .flatMap((percent, index) => Array.from({ length: times[index] ?? 1 }, () => percent))
        .map((percent, index) => poll(index * 3, percent));
      const history = remembered(polls);
      expect(estimateRemainingMs(history)).toBe(estimateRemainingMs(polls));
      if (polls.length > 1) expect(nextPollDelayMs(history, 0.5, 1)).toBe(nextPollDelayMs(polls, 0.5, 1));
    }),
  );
});
