import { expect, test } from "vitest";
import type { Observation } from "../../../provider/waiting/observation.ts";
import { describeProgress } from "../../../provider/waiting/progress.ts";

const look = (seconds: number, progress?: number, pageCount?: number): Observation => ({
  elapsedMs: seconds * 1_000,
  status: "running",
  ...(progress !== undefined && { progress }),
  ...(pageCount !== undefined && { pageCount }),
});

test.each<[string, Observation[]]>([
  ["unknown", []],
  ["running", [look(0)]],
  ["0% · 0 pages · running", [look(0, 0, 0)]],
  ["43% · 1 page · running", [look(0, 43.9, 1)]],
  ["30% · 18 pages · ~1m 10s · running", [look(0, 0), look(10, 10), look(20, 20), look(30, 30, 18)]],
  ["100% · running", [0, 25, 50, 75, 100].map((percent) => look(percent, percent))],
  ["75% · running", [...[0, 25, 50, 75].map((percent) => look(percent, percent)), look(200, 75)]],
  ["97% · ~5s · running", [look(0, 0), look(1, 90), look(2, 95), look(4, 97)]],
])("a look reads as «%s»", (line, history) => {
  expect(describeProgress(history)).toBe(line);
});
