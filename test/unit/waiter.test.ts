import { expect, test } from "vitest";
import { startDeadline } from "../../provider/deadline.ts";
import { DeadlineExceededError } from "../../provider/errors.ts";
import { nextPollDelayMs } from "../../provider/pollSchedule.ts";
import { waitUntilFinal } from "../../provider/waiter.ts";
import { VirtualClock } from "../simulation/virtualClock.ts";

/** Waits for a thing that is final after `durationMs`; says when it was looked at. */
async function waitFor(
  durationMs: number,
  {
    limitMs = 1_800_000,
    inFlight = 1,
    signal = new AbortController().signal,
    clock = new VirtualClock(),
  } = {},
): Promise<{ looksMs: number[]; clock: VirtualClock; error?: unknown }> {
  const looksMs: number[] = [];
  const wait = waitUntilFinal({
    subject: "job 7 of docs.example.com to be completed",
    look: () => {
      looksMs.push(clock.monotonic());
      return Promise.resolve(clock.monotonic() >= durationMs);
    },
    isFinal: (done) => done,
    describe: (done) => ({ status: done ? "completed" : "running", progress: 50, pageCount: 7 }),
    inFlight: () => inFlight,
    clock,
    deadline: startDeadline(clock, limitMs),
    signal,
  });
  try {
    await clock.run(wait);
    return { looksMs, clock };
  } catch (error) {
    return { looksMs, clock, error };
  }
}

test("what is final already is seen at once, without a pause", async () => {
  const { looksMs, clock } = await waitFor(0);
  expect(looksMs).toEqual([0]);
  expect(clock.waits).toEqual([]);
});

test("a pause is a second at first, a tenth of the time waited later, and never over ten seconds", async () => {
  const { clock, looksMs } = await waitFor(600_000);
  expect(clock.waits.slice(0, 3)).toEqual([1_000, 1_000, 1_000]);
  expect(Math.max(...clock.waits)).toBe(10_000);
  for (const [index, at] of looksMs.slice(11, -1).entries()) {
    expect(clock.waits[index + 11]).toBeCloseTo(Math.min(10_000, Math.max(1_000, at / 10)), 5);
  }
});

test("pauses are varied by a tenth either way, within their bounds", () => {
  const history = [{ elapsedMs: 50_000, status: "running" }];
  expect([0, 0.5, 1].map((random) => nextPollDelayMs(history, random, 1))).toEqual([4_500, 5_000, 5_500]);
  expect(nextPollDelayMs([{ elapsedMs: 1e9, status: "running" }], 1, 1)).toBe(10_000);
});

test("many waits share twenty looks a second, so that a large stack does not hammer the service", async () => {
  const { clock } = await waitFor(60_000, { inFlight: 100 });
  expect(clock.waits[0]).toBe(5_000);
  expect((await waitFor(60_000, { inFlight: 1_000 })).clock.waits[0]).toBe(10_000);
  expect((await waitFor(60_000, { inFlight: 20 })).clock.waits[0]).toBe(1_000);
});

test("the last look is just before the deadline, and the error tells the story", async () => {
  const { looksMs, error, clock } = await waitFor(Infinity, { limitMs: 60_000 });
  expect(looksMs.at(-1)).toBe(59_000);
  expect(error).toBeInstanceOf(DeadlineExceededError);
  const { message, remedy } = error as DeadlineExceededError;
  expect(message).toBe(
    "waited for job 7 of docs.example.com to be completed, but the time limit of 1m passed. " +
      `Last seen: running, 50%, 7 pages. ${looksMs.length} looks in all, statuses: running`,
  );
  expect(remedy).toContain("customTimeouts");
  expect(clock.pending).toBe(0);
});

test("what becomes final just before the deadline is still seen", async () => {
  const { error, looksMs } = await waitFor(58_900, { limitMs: 60_000 });
  expect(error).toBeUndefined();
  expect(looksMs.at(-1)).toBe(59_000);
});

test("a jump of the wall clock changes nothing", async () => {
  const clock = new VirtualClock();
  const calm = await waitFor(60_000);
  clock.after(5_000, () => (clock.wallMs += 3_600_000));
  const jumped = await waitFor(60_000, { clock });
  expect(jumped.looksMs).toEqual(calm.looksMs);
});

test("a stopped wait ends with the reason of the stop and leaves no timer", async () => {
  const controller = new AbortController();
  const clock = new VirtualClock();
  clock.after(3_500, () => controller.abort(new Error("stopped by the user")));
  const { error } = await waitFor(Infinity, { signal: controller.signal, clock });
  expect(error).toEqual(new Error("stopped by the user"));
  expect(clock.pending).toBe(0);
});
