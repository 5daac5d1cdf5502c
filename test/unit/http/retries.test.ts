import { expect, test } from "vitest";
import { Retries, WORTH_BYTES, type Peer } from "../../../provider/http/retries.ts";
import type { FailedAttempt } from "../../../provider/http/failedAttempt.ts";
import { startDeadline } from "../../../provider/time/deadline.ts";
import { ConnectionError } from "../../../provider/messages/errors.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { VirtualClock } from "../../simulation/virtualClock.ts";

const failed = (code: string): FailedAttempt => ({
  fault: { kind: code === "ECONNREFUSED" ? "unreachable" : "interrupted", code },
  error: new ConnectionError(`GET https://a.example failed (${code})`, "Check it."),
});
const HOUR_MS = 3_600_000;

/** Lets attempts fail until that is enough. @returns how long that took, in milliseconds, and the error */
async function failing(
  peer: Partial<Peer>,
  failure = failed("ECONNREFUSED"),
  attempted: (retries: Retries) => void = () => undefined,
): Promise<{ afterMs: number; attempts: number; error: unknown }> {
  const clock = new VirtualClock();
  clock.advance(HOUR_MS); // what was before the first request does not count
  const retries = new Retries(
    { name: "the store", isKnown: false, wasAnswered: false, ...peer },
    {
      clock,
      reporter: recordingReporter(),
      signal: new AbortController().signal,
      deadline: startDeadline(clock, HOUR_MS),
    },
    { name: "GET https://a.example", repetition: "read" },
  );
  for (let attempts = 1; ; attempts++) {
    try {
      attempted(retries);
      await clock.run(retries.pause(failure));
    } catch (error) {
      return { afterMs: clock.monotonic() - HOUR_MS, attempts, error };
    }
  }
}

test("what refuses connections from the first one on is given up within 15 s", async () => {
  const { afterMs, attempts, error } = await failing({});
  expect(afterMs).toBeLessThan(15_000);
  expect(attempts).toBeGreaterThan(4);
  expect(error).toBeInstanceOf(ConnectionError);
  expect(String(error)).toMatch(
    /failed \(ECONNREFUSED\); nothing of the store answered for \d+s, so it is not tried any longer$/,
  );
});

test.each([
  ["refuses connections, but answered others of this run", { isKnown: true }, "ECONNREFUSED"],
  ["is silent", {}, "no answer in time"],
])("what %s is given up after two minutes", async (_what, peer, code) => {
  const { afterMs, error } = await failing(peer, failed(code));
  expect(afterMs).toBeLessThan(120_000);
  expect(afterMs).toBeGreaterThan(60_000);
  expect(String(error)).toContain("nothing of the store answered for 1m");
});

test("what answered this operation is tried until the time limit", async () => {
  const { afterMs, error } = await failing({ wasAnswered: true });
  expect(afterMs).toBeGreaterThan(HOUR_MS - 20_000);
  expect(String(error)).toContain("the time limit of 1h leaves no room for another try");
});

test("a status is an answer, too", async () => {
  const status = { ...failed(""), fault: { kind: "status", status: 503, retryAfterMs: undefined } } as const;
  expect((await failing({}, status)).afterMs).toBeGreaterThan(HOUR_MS - 20_000);
});

test("single bytes are no reason to ask more often, enough of them are", async () => {
  const drop = await failing({}, failed("ECONNRESET"), (retries) => retries.moved(1));
  const block = await failing({}, failed("ECONNRESET"), (retries) => retries.moved(WORTH_BYTES));
  expect(drop.attempts).toBeLessThan(400);
  expect(block.attempts).toBeGreaterThan(10_000);
  // what is worth it may come in more than one attempt
  const halves = await failing({}, failed("ECONNRESET"), (retries) => retries.moved(WORTH_BYTES / 2));
  expect(halves.attempts).toBeGreaterThan(5_000);
});

test("answers that bring too little are not asked for more often than what is no HTTP", async () => {
  expect((await failing({}, failed("too few bytes"), (retries) => retries.moved(1))).attempts).toBe(6);
});
