import { expect, test } from "vitest";
import { DeadlineExceededError, RunCancelledError } from "../../../provider/base/runtime/messages/errors.ts";
import { sleep } from "../../../provider/base/runtime/time/clock.ts";
import { withinLimit } from "../../../provider/resource/withinLimit.ts";
import { VirtualClock } from "../../simulation/virtualClock.ts";

const HOUR_MS = 3_600_000;

test("work that only watches the signal ends soon after the time limit, with the time limit as the reason", async () => {
  const clock = new VirtualClock();
  const { signal } = new AbortController();
  const run = withinLimit({ clock, signal }, 1_000, (context) => sleep(clock, HOUR_MS, context.signal));
  const failure: unknown = await clock.run(run).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(DeadlineExceededError);
  expect(failure).toMatchObject({
    message: "the time limit of 1s passed",
    remedy: expect.stringContaining("customTimeouts") as string,
  });
  expect(clock.monotonic()).toBe(1_500);
});

test("work that knows the deadline has the time to end by itself", async () => {
  const clock = new VirtualClock();
  const { signal } = new AbortController();
  const run = withinLimit({ clock, signal }, 1_000, async ({ deadline, signal: limited }) => {
    await sleep(clock, 400, limited);
    expect([deadline.limitMs, deadline.remainingMs()]).toEqual([1_000, 600]);
    await sleep(clock, deadline.remainingMs(), limited);
    throw new Error("waited for job 7");
  });
  await expect(clock.run(run)).rejects.toThrow("waited for job 7");
});

test("work that is stopped by the user ends at once, for that reason", async () => {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const run = withinLimit({ clock, signal: stop.signal }, HOUR_MS, ({ signal }) =>
    sleep(clock, HOUR_MS, signal),
  );
  stop.abort(new RunCancelledError("the run was cancelled", ""));
  await expect(run).rejects.toThrow("the run was cancelled");
});

test("work that ends in time leaves no timer behind", async () => {
  const clock = new VirtualClock();
  const { signal } = new AbortController();
  expect(await withinLimit({ clock, signal }, 1_000, () => Promise.resolve("done"))).toBe("done");
  expect(clock.pending).toBe(0);
});
