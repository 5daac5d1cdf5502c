import { expect, test } from "vitest";
import { estimateRemainingMs } from "../../../../provider/service/polling/forecast.ts";

/** Polls a second apart; `undefined` is a poll without progress. */
const everySecond = (...progress: (number | undefined)[]): number | undefined =>
  estimateRemainingMs(
    progress.map((percent, second) => ({
      elapsedMs: second * 1_000,
      status: "running",
      ...(percent !== undefined && { progress: percent }),
    })),
  );

test("a steady job is forecast by its pace, half a percent ahead of its whole percents", () => {
  expect(everySecond(0, 10, 20, 30)).toBe(6_950);
});

test("time in the queue, before the first movement, does not count", () => {
  expect(everySecond(0, 0, 0, 0, 0, 10, 20, 30)).toBe(6_950);
  expect(everySecond(undefined, undefined, 0, 10, 20, 30)).toBe(6_950);
});

test("polls without progress in between change nothing", () => {
  expect(everySecond(0, 10, undefined, 30, 40)).toBe(5_950);
});

test("a job that stands still has come no nearer to its end than time has passed", () => {
  expect(everySecond(0, 10, 20, 30, 30, 30)).toBe(4_950);
});

test.each([
  ["nothing was seen", []],
  ["progress is not reported", [undefined, undefined, undefined, undefined, undefined]],
  ["three percentages were seen", [0, 10, 20, 20, 20]],
  ["progress went back", [0, 10, 20, 15, 25, 35]],
])("there is no forecast when %s", (_why, progress) => {
  expect(everySecond(...progress)).toBeUndefined();
});

test("progress that went back is forecast by its pace since", () => {
  expect(everySecond(0, 60, 80, 0, 10, 20, 30)).toBe(6_950);
});

test("the recent pace counts as much as that of the whole time", () => {
  expect(everySecond(0, 20, 40, 60, 80, 80, 90)).toBeCloseTo(9.5 * (6_000 / 90 + 2_000 / 10) * 0.5);
});

test("a job that exceeds its forecast is overdue: the remaining time is negative", () => {
  expect(everySecond(0, 25, 50, 75, 100)).toBe(0);
  expect(everySecond(0, 25, 50, 75, 100, 100, 100)).toBe(-2_000);
  expect(everySecond(0, 30, 60, 90, 90, 90)).toBeLessThan(0);
});

test("a forecast is a finite time, with any reads", () => {
  const percentages = [undefined, 0, 0.5, 1, 50, 99.9, 100];
  const size = percentages.length;
  for (let code = 0; code < size ** 5; code++) {
    const progress = Array.from(
      { length: 5 },
      (_, place) => percentages[Math.floor(code / size ** place) % size],
    );
    const forecast = everySecond(...progress) ?? 1;
    if (!Number.isFinite(forecast)) expect(progress, `gives ${forecast}`).toBe("a forecast");
  }
});
