import { expect, test } from "vitest";
import { Retries } from "../../../provider/download/retries.ts";
import { startDeadline } from "../../../provider/time/deadline.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { VirtualClock } from "../../simulation/virtualClock.ts";

const REFUSED = { fault: { kind: "unreachable", code: "ECONNREFUSED" }, message: "no answer" } as const;
const HOUR_MS = 3_600_000;

/** Lets attempts fail until that is enough. @returns how long that took, in milliseconds, and the error */
async function failing(prepare: (retries: Retries) => void): Promise<{ afterMs: number; error: unknown }> {
  const clock = new VirtualClock();
  const retries = new Retries(
    { subject: "job 1 of docs.example.com", size: 0 },
    {
      clock,
      reporter: recordingReporter(),
      signal: new AbortController().signal,
      deadline: startDeadline(clock, HOUR_MS),
    },
  );
  retries.asked();
  prepare(retries);
  for (;;) {
    try {
      await clock.run(retries.pause(REFUSED));
    } catch (error) {
      return { afterMs: clock.monotonic(), error };
    }
  }
}

test("a store of which no byte ever came is given up after two minutes", async () => {
  const { afterMs, error } = await failing(() => undefined);
  expect(afterMs).toBeLessThanOrEqual(120_000);
  expect(afterMs).toBeGreaterThan(60_000);
  expect(String(error)).toContain("no byte came from the store");
});

test("a store from which bytes came is tried until the time limit", async () => {
  const { afterMs, error } = await failing((retries) => retries.forget());
  expect(afterMs).toBeGreaterThan(HOUR_MS - 120_000);
  expect(String(error)).toContain("leaves no room for another try");
});
