import { expect, test } from "vitest";
import { startDeadline } from "../../../../provider/base/runtime/time/clock.ts";
import { type PolledJob, waitForJob } from "../../../../provider/service/polling/jobWait.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

/** Waits for a job of this duration. @returns the lines, and the times of persistent ones */
async function waited(seconds: number, progressAt: (part: number) => number | undefined) {
  const clock = new VirtualClock();
  const reporter = recordingReporter();
  const stayedMs: number[] = [];
  const job = (): PolledJob => {
    const part = Math.min(1, clock.monotonic() / (seconds * 1_000));
    const progress = progressAt(part);
    return {
      status: part < 1 ? "running" : "completed",
      outcome: part < 1 ? "pending" : "success",
      isUnexpected: false,
      ...(progress !== undefined && { progress }),
    };
  };
  await clock.run(
    waitForJob({
      name: "job 7",
      subject: "job 7",
      poll: () => Promise.resolve(job()),
      runningOperations: () => 1,
      clock,
      deadline: startDeadline(clock, 24 * 3_600_000),
      signal: new AbortController().signal,
      reporter: {
        ...reporter,
        info: (line) => {
          stayedMs.push(clock.monotonic());
          reporter.info(line);
        },
      },
    }),
  );
  return { ...reporter.lines, stayedMs };
}

const steadily = (part: number): number => Math.floor(100 * part);

test("a job of ten minutes has a persistent line after a minute, for each quarter and where little changes; all others are replaced", async () => {
  const { info, progress } = await waited(600, steadily);
  expect(info.map((line) => Number(/^(\d+)%/.exec(line)?.[1]))).toEqual([
    expect.closeTo(11, -1),
    expect.closeTo(26, -1),
    expect.closeTo(46, -1),
    expect.closeTo(51, -1),
    expect.closeTo(76, -1),
    100,
  ]);
  expect(info.at(-1)).toBe("100% · completed");
  expect(progress.length).toBeGreaterThan(10);
});

test("a job that takes seconds has no persistent line", async () => {
  expect((await waited(8, steadily)).info).toEqual([]);
});

test("persistent lines are ten seconds apart or more, also where progress jumps", async () => {
  const { stayedMs } = await waited(60, (part) => (part < 0.5 ? 0 : steadily(part)));
  const gaps = stayedMs.map((at, index) => at - (stayedMs[index - 1] ?? 0));
  expect(gaps.length).toBeGreaterThan(1);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(10_000);
});

test("without progress, or with stalled progress, there is a persistent line every five minutes", async () => {
  for (const progressAt of [() => undefined, () => 30]) {
    const { stayedMs } = await waited(1_800, progressAt);
    const gaps = stayedMs.slice(1).map((at, index) => at - (stayedMs[index] ?? 0));
    expect(gaps.length).toBeGreaterThanOrEqual(4);
    expect(Math.max(...gaps)).toBeLessThan(5 * 60_000 + 11_000);
  }
});

test("the facts that do not fit in a narrow row come last", async () => {
  const { progress } = await waited(60, steadily);
  expect(progress.filter((line) => /^\d+% · (?:~[\dms ]+ · )?\w+$/.test(line))).toEqual(progress);
});
