import { expect, test } from "vitest";
import type { Observation } from "../../../../provider/service/polling/forecast.ts";
import { reportProgress } from "../../../../provider/service/polling/progressLines.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";

/** The lines that stay of a job, with the second of each. */
function stayingLines(polls: readonly Observation[]): string[] {
  const reporter = recordingReporter();
  const report = reportProgress(reporter);
  const history: Observation[] = [];
  return polls.flatMap((poll) => {
    history.push(poll);
    const before = reporter.lines.info.length;
    report(history, false);
    return reporter.lines.info.slice(before).map((line) => `${poll.elapsedMs / 1_000}s ${line}`);
  });
}

/** Polls every second. */
const polls = (seconds: number, at: (second: number) => Omit<Observation, "elapsedMs">): Observation[] =>
  Array.from({ length: seconds + 1 }, (_, second) => ({ elapsedMs: 1_000 * second, ...at(second) }));

test("a job without figures says that it goes on after a minute, then at twice the time, then every five minutes", () => {
  expect(stayingLines(polls(1_800, () => ({ status: "running" })))).toEqual(
    [60, 180, 420, 720, 1_020, 1_320, 1_620].map((second) => `${second}s running`),
  );
});

test("another status stays at once, and one that jumps from status to status stays every ten seconds", () => {
  const status = (second: number): string => (second < 15 ? "queued" : "running");
  expect(stayingLines(polls(59, (second) => ({ status: status(second) })))).toEqual(["15s running"]);
  const jumping = stayingLines(polls(60, (second) => ({ status: second % 2 ? "queued" : "running" })));
  expect(jumping.length).toBeLessThanOrEqual(6);
});

test("each quarter of a long job stays once, in order, also when the figure falls back", () => {
  const progress = (second: number): number => (second === 50 ? 20 : Math.min(99, second));
  const lines = stayingLines(polls(99, (second) => ({ status: "running", progress: progress(second) })));
  expect(lines.map((line) => /^\d+s \d+%/.exec(line)?.[0])).toEqual(["25s 25%", "51s 51%", "75s 75%"]);
});

test("a short job has no such line", () => {
  expect(stayingLines(polls(9, (second) => ({ status: "running", progress: 10 * second })))).toEqual([]);
});

test("the last status has no line of its own: the outcome is reported", () => {
  const reporter = recordingReporter();
  const report = reportProgress(reporter);
  report([{ elapsedMs: 0, status: "running" }], false);
  report([{ elapsedMs: 20_000, status: "completed" }], true);
  expect(reporter.lines.info).toEqual([]);
});
