import { expect, test } from "vitest";
import {
  AnswerCutOffError,
  ConnectionError,
  DeadlineExceededError,
} from "../../../../provider/base/runtime/messages/errors.ts";
import { startDeadline } from "../../../../provider/base/runtime/time/clock.ts";
import type { Observation } from "../../../../provider/service/polling/forecast.ts";
import { waitForJob } from "../../../../provider/service/polling/jobWait.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

type Poll = Omit<Observation, "elapsedMs">;

const RUNNING: Poll = { status: "running", progress: 50, pageCount: 7 };

interface Waited {
  pollsMs: number[];
  clock: VirtualClock;
  error?: unknown;
}

/** Waits for a job that is completed after `durationMs`; until then each poll returns what `poll` gives. */
async function waitFor(
  durationMs: number,
  {
    limitMs = 1_800_000,
    signal = new AbortController().signal,
    clock = new VirtualClock(),
    poll = (): Poll => RUNNING,
  } = {},
): Promise<Waited> {
  const waited: Waited = { pollsMs: [], clock };
  const wait = waitForJob({
    name: "job 7",
    subject: "job 7 of docs.example.com to be completed",
    poll: async () => {
      waited.pollsMs.push(clock.monotonic());
      const isOver = clock.monotonic() >= durationMs;
      const seen = isOver ? { status: "completed" } : poll();
      const outcome = isOver ? "success" : "pending";
      return Promise.resolve({ ...seen, outcome, isUnexpected: false } as const);
    },
    reporter: recordingReporter(),
    runningOperations: () => 1,
    clock,
    deadline: startDeadline(clock, limitMs),
    signal,
  });
  try {
    await clock.run(wait);
  } catch (error) {
    waited.error = error;
  }
  return waited;
}

test("a final job is returned at once, without a pause", async () => {
  const { pollsMs, clock } = await waitFor(0);
  expect(pollsMs).toEqual([0]);
  expect(clock.waits).toEqual([]);
});

test.each<[Error, string]>([
  [new AnswerCutOffError("GET was not answered", "Again."), "Last seen: running. 2 polls in all"],
  [new DeadlineExceededError("GET failed (ECONNREFUSED)", "Check."), "GET failed (ECONNREFUSED)"],
  [new ConnectionError("GET failed", "Check."), "GET failed"],
])(
  "a last poll that the deadline cuts off is the time limit, with the reads before; any other error is its own (%s)",
  async (trouble, text) => {
    for (const failsAt of [1, 2]) {
      let polls = 0;
      const poll = (): Poll => {
        if (++polls === failsAt) throw trouble;
        return { status: "running" };
      };
      const { error } = await waitFor(Infinity, { limitMs: 60_000, poll });
      expect((error as Error).message).toContain(failsAt === 1 ? trouble.message : text);
    }
  },
);

test("the last poll is just before the deadline, and the error reports the wait in full", async () => {
  const { pollsMs, error, clock } = await waitFor(Infinity, { limitMs: 60_000 });
  expect(pollsMs.at(-1)).toBe(59_000);
  expect(error).toBeInstanceOf(DeadlineExceededError);
  const { message, remedy } = error as DeadlineExceededError;
  expect(message).toBe(
    "waited for job 7 of docs.example.com to be completed, but the time limit of 1m passed. " +
      `Last seen: running, 50%, 7 pages. ${pollsMs.length} polls in all, statuses: running`,
  );
  expect(remedy).toContain("customTimeouts");
  expect(clock.pending).toBe(0);
});

test("a job that becomes final just before the deadline is still noticed", async () => {
  const { error, pollsMs } = await waitFor(58_900, { limitMs: 60_000 });
  expect(error).toBeUndefined();
  expect(pollsMs.at(-1)).toBe(59_000);
});

test("the last poll is just before the deadline, however long a pause the service asks for", async () => {
  const poll = (): Poll => ({ ...RUNNING, retryAfterMs: 240_000 });
  const { pollsMs, error } = await waitFor(Infinity, { limitMs: 60_000, poll });
  expect(pollsMs).toEqual([0, 59_000]);
  expect(error).toBeInstanceOf(DeadlineExceededError);
});

test("a wait of a day counts all its polls", async () => {
  const { pollsMs, error } = await waitFor(Infinity, { limitMs: 86_400_000 });
  expect(pollsMs.length).toBeGreaterThan(8_000);
  expect((error as Error).message).toContain(`${pollsMs.length} polls in all`);
});

test("T15 after two hours of sleep there is one poll at once, then the schedule continues as before", async () => {
  const clock = new VirtualClock();
  const sleepMs = 7_200_000;
  clock.after(30_000, () => clock.advance(sleepMs)); // fires timers that were due on waking
  const { pollsMs } = await waitFor(sleepMs + 120_000, { clock, limitMs: 86_400_000 });
  const woken = pollsMs.filter((at) => at >= sleepMs);
  const pauses = woken.slice(1).map((at, index) => at - (woken[index] ?? 0));
  expect(pollsMs.filter((at) => at > 30_000 && at < sleepMs)).toEqual([]);
  expect(woken[0]).toBe(sleepMs + 30_000);
  expect(Math.min(...pauses)).toBeGreaterThan(1_000);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(10_000);
});

test("the error names twenty statuses at most, and neither percent nor pages where none were reported", async () => {
  const clock = new VirtualClock();
  clock.advance(5_000);
  let polls = 0;
  const poll = (): Poll => ({ status: `s${++polls}` });
  const { error } = await waitFor(Infinity, { clock, limitMs: 300_000, poll });
  const twenty = Array.from({ length: 20 }, (_, index) => `s${index + 1}`);
  expect(error).toHaveProperty(
    "message",
    "waited for job 7 of docs.example.com to be completed, but the time limit of 5m passed. " +
      `Last seen: s${polls}. ${polls} polls in all, statuses: ${twenty.join(" → ")}`,
  );
  expect(polls).toBeGreaterThan(20);
});

test("a stopped wait ends with the reason of the stop and leaves no timer", async () => {
  const controller = new AbortController();
  const clock = new VirtualClock();
  clock.after(3_500, () => controller.abort(new Error("stopped by the user")));
  const { error } = await waitFor(Infinity, { signal: controller.signal, clock });
  expect(error).toEqual(new Error("stopped by the user"));
  expect(clock.pending).toBe(0);
});
