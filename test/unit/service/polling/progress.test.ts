import { expect, test } from "vitest";
import type { Observation } from "../../../../provider/service/polling/forecast.ts";
import { reportProgress } from "../../../../provider/service/polling/progressLines.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";

const poll = (seconds: number, progress?: number, pageCount?: number): Observation => ({
  elapsedMs: seconds * 1_000,
  status: "running",
  ...(progress !== undefined && { progress }),
  ...(pageCount !== undefined && { pageCount }),
});

test.each<[string, Observation[]]>([
  ["unknown", []],
  ["running", [poll(0)]],
  ["0% · 0 pages · running", [poll(0, 0, 0)]],
  ["43% · 1 page · running", [poll(0, 43.9, 1)]],
  ["30% · 18 pages · ~1m 10s · running", [poll(0, 0), poll(10, 10), poll(20, 20), poll(30, 30, 18)]],
  ["100% · running", [0, 25, 50, 75, 100].map((percent) => poll(percent, percent))],
  ["75% · running", [...[0, 25, 50, 75].map((percent) => poll(percent, percent)), poll(200, 75)]],
  // less than its own resolution: «~5s» would stay the same until the end
  ["97% · running", [poll(0, 0), poll(1, 90), poll(2, 95), poll(4, 97)]],
  ["71% · running", [poll(0, 0), poll(1.2, 24), poll(2.4, 48), poll(3.6, 71)]],
])("a poll reads as «%s»", (line, history) => {
  const reporter = recordingReporter();
  reportProgress(reporter)(history, false);
  expect(reporter.lines.progress).toEqual([line]);
});
