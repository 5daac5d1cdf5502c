import { expect, test } from "vitest";
import { formatDuration, parseDuration } from "../../../../../provider/base/runtime/time/duration.ts";

test.each([
  ["90s", 90_000],
  ["30m", 1_800_000],
  ["24h", 86_400_000],
  ["1h30m", 5_400_000],
  ["1.5h", 5_400_000],
  ["0.25h", 900_000],
  ["250ms", 250],
])("%s is %i milliseconds", (text, durationMs) => {
  expect(parseDuration(text)).toBe(durationMs);
});

test.each([
  "",
  "0s",
  "-5m",
  "10",
  "ten minutes",
  "1d",
  "NaN",
  "5 m",
  "1e3s",
  "1s ",
  "m",
  `${"9".repeat(400)}h`,
])("«%s» is not a duration", (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test.each([
  [0, "0s"],
  [999, "1s"],
  [65_000, "1m 5s"],
  [3_600_000, "1h"],
  [7_380_000, "2h 3m"],
  [273_600_000, "3d 4h"],
  [273_665_000, "3d 4h"],
])("%i milliseconds are written %s", (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text);
});
