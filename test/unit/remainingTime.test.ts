import { expect, test } from "vitest";
import { estimateRemainingMs } from "../../provider/remainingTime.ts";

/** Looks a second apart; `undefined` is a look without progress. */
const everySecond = (...progress: (number | undefined)[]): number | undefined =>
  estimateRemainingMs(
    progress.map((percent, second) => ({
      elapsedMs: second * 1_000,
      status: "running",
      ...(percent !== undefined && { progress: percent }),
    })),
  );

test("a steady job is forecast by its pace", () => {
  expect(everySecond(0, 10, 20, 30)).toBe(7_000);
});

test("time in the queue, before the first movement, does not count", () => {
  expect(everySecond(0, 0, 0, 0, 0, 10, 20, 30)).toBe(7_000);
  expect(everySecond(undefined, undefined, 0, 10, 20, 30)).toBe(7_000);
});

test("looks without progress in between change nothing", () => {
  expect(everySecond(0, 10, undefined, 30, 40)).toBe(6_000);
});

test("a job that stands still has come no nearer to its end than time has passed", () => {
  expect(everySecond(0, 10, 20, 30, 30, 30)).toBe(5_000);
});

test.each([
  ["nothing was seen", []],
  ["progress is not told", [undefined, undefined, undefined, undefined, undefined]],
  ["three percentages were seen", [0, 10, 20, 20, 20]],
  ["progress went back", [0, 10, 20, 15, 25, 35]],
  ["it takes longer than was forecast", [0, 30, 60, 90, 90, 90]],
  ["it is at its end", [0, 30, 60, 100]],
])("there is no forecast when %s", (_why, progress) => {
  expect(everySecond(...progress)).toBeUndefined();
});

test("a forecast is a finite, positive time, whatever was seen", () => {
  const percentages = [undefined, 0, 0.5, 1, 50, 99.9, 100];
  const size = percentages.length;
  for (let code = 0; code < size ** 5; code++) {
    const progress = Array.from(
      { length: 5 },
      (_, place) => percentages[Math.floor(code / size ** place) % size],
    );
    const forecast = everySecond(...progress) ?? 1;
    if (!(forecast > 0 && Number.isFinite(forecast)))
      expect(progress, `gives ${forecast}`).toBe("a forecast");
  }
});
