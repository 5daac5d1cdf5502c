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
  ["running, 0%, 0 pages", [look(0, 0, 0)]],
  ["running, 43%, 1 page", [look(0, 43.9, 1)]],
  ["running, 30%, 18 pages, about 1m 10s left", [look(0, 0), look(10, 10), look(20, 20), look(30, 30, 18)]],
  ["running, 100%", [0, 25, 50, 75, 100].map((percent) => look(percent, percent))],
  ["running, 75%", [...[0, 25, 50, 75].map((percent) => look(percent, percent)), look(200, 75)]],
  ["running, 97%, about 5s left", [look(0, 0), look(1, 90), look(2, 95), look(4, 97)]],
])("a look reads as «%s»", (line, history) => {
  expect(describeProgress(history)).toBe(line);
});
