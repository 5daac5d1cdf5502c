import { expect, test } from "vitest";
import { DestinationError } from "../../../../../provider/base/runtime/messages/errors.ts";
import { startDeadline } from "../../../../../provider/base/runtime/time/clock.ts";
import { untilAnswered } from "../../../../../provider/publishing/destinations/objectStore/untilAnswered.ts";
import { VirtualClock } from "../../../../simulation/virtualClock.ts";

const BUSY = new DestinationError("the store is busy", "");

/** A request to a store that refuses it once and asks to wait, with a time limit of ten seconds. */
async function asked(
  retryAfterMs: number,
): Promise<{ repeats: boolean[]; waits: readonly number[]; error: unknown }> {
  const clock = new VirtualClock();
  const deadline = startDeadline(clock, 10_000);
  const fault = { kind: "status", status: 503, retryAfterMs } as const;
  const repeats: boolean[] = [];
  const answered = untilAnswered({ clock, deadline, signal: new AbortController().signal }, (isRepeat) => {
    repeats.push(isRepeat);
    return Promise.resolve(isRepeat ? { value: undefined } : { error: BUSY, fault });
  });
  const error: unknown = await clock.run(answered.catch((caught: unknown) => caught));
  return { repeats, waits: clock.waits, error };
}

test("a request that a store refuses for now is sent again after the pause that it asks for", async () => {
  const { repeats, waits, error } = await asked(5_000);
  expect(repeats).toEqual([false, true]);
  expect(waits).toHaveLength(1);
  expect(waits[0]).toBeGreaterThanOrEqual(5_000);
  expect(error).toBeUndefined();
});

test("a store that asks to wait longer than the time limit is not waited for: its reason is the error", async () => {
  expect(await asked(60_000)).toEqual({ repeats: [false], waits: [], error: BUSY });
});
