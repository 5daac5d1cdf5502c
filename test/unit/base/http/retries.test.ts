import { expect, test } from "vitest";
import { type Peer, Retries, WORTH_BYTES } from "../../../../provider/base/http/retries.ts";
import { type FailedAttempt } from "../../../../provider/base/http/retryPolicy.ts";
import { type Repetition } from "../../../../provider/base/http/retryPolicy.ts";
import { ConnectionError } from "../../../../provider/base/runtime/messages/errors.ts";
import { startDeadline } from "../../../../provider/base/runtime/time/clock.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

const failed = (code: string): FailedAttempt => ({
  fault: {
    kind: ["ECONNREFUSED", "EHOSTUNREACH", "ENOTFOUND"].includes(code) ? "unreachable" : "interrupted",
    code,
  },
  error: new ConnectionError(`GET https://a.example failed (${code})`, "Check it."),
});
const HOUR_MS = 3_600_000;

/** Lets attempts fail until the retries end. @returns the duration, in milliseconds, the lines, and the error */
async function failing(
  peer: Partial<Peer>,
  failure = failed("ECONNREFUSED"),
  attempted: (retries: Retries) => void = () => undefined,
  repetition: Repetition = "read",
): Promise<{
  afterMs: number;
  attempts: number;
  lines: ReturnType<typeof recordingReporter>["lines"];
  error: unknown;
}> {
  const reporter = recordingReporter();
  const clock = new VirtualClock();
  clock.advance(HOUR_MS); // time before the first request does not count
  const retries = new Retries(
    { name: "the store", isKnown: false, wasAnswered: false, ...peer },
    {
      clock,
      reporter,
      signal: new AbortController().signal,
      deadline: startDeadline(clock, HOUR_MS),
    },
    { name: "GET https://a.example", repetition },
  );
  for (let attempts = 1; ; attempts++) {
    try {
      attempted(retries);
      await clock.run(retries.pause(failure));
    } catch (error) {
      return { afterMs: clock.monotonic() - HOUR_MS, attempts, lines: reporter.lines, error };
    }
  }
}

test("a service that refuses connections from the first one on is given up within 15 s", async () => {
  const { afterMs, attempts, error } = await failing({});
  expect(afterMs).toBeLessThan(15_000);
  expect(attempts).toBeGreaterThan(4);
  expect(error).toBeInstanceOf(ConnectionError);
  expect(String(error)).toMatch(
    /failed \(ECONNREFUSED\); the store did not answer for \d+s, so there is no further attempt$/,
  );
});

test.each([
  ["refuses connections, but answered others of this run", { isKnown: true }, "ECONNREFUSED"],
  ["is silent", {}, "no answer in time"],
  ["cannot be reached for now", {}, "EHOSTUNREACH"],
])("a service that %s is given up after two minutes", async (_what, peer, code) => {
  const { afterMs, error } = await failing(peer, failed(code));
  expect(afterMs).toBeLessThan(120_000);
  expect(afterMs).toBeGreaterThan(60_000);
  expect(String(error)).toContain("the store did not answer for 1m");
});

test("a service that answered this operation is retried until the time limit", async () => {
  const { afterMs, error } = await failing({ wasAnswered: true });
  expect(afterMs).toBeGreaterThan(HOUR_MS - 20_000);
  expect(String(error)).toContain("the time limit of 1h leaves no time for another attempt");
});

test("a host that is not found is tried four times, and until the time limit once it has answered", async () => {
  const notFound = failed("ENOTFOUND");
  expect((await failing({}, notFound)).attempts).toBe(4);
  const { afterMs, lines } = await failing({ wasAnswered: true }, notFound);
  expect(afterMs).toBeGreaterThan(HOUR_MS - 20_000);
  expect(lines.warn).toEqual([]);
});

test("a host that is not found, but answered others of this run, is tried for two minutes", async () => {
  const { afterMs } = await failing({ isKnown: true }, failed("ENOTFOUND"));
  expect(afterMs).toBeGreaterThan(60_000);
  expect(afterMs).toBeLessThan(120_000);
});

test("a status is an answer, too", async () => {
  const status = { ...failed(""), fault: { kind: "status", status: 503, retryAfterMs: undefined } } as const;
  expect((await failing({}, status)).afterMs).toBeGreaterThan(HOUR_MS - 20_000);
});

test("single bytes do not allow more retries, enough of them do", async () => {
  const drop = await failing({}, failed("ECONNRESET"), (retries) => retries.moved(1));
  const block = await failing({}, failed("ECONNRESET"), (retries) => retries.moved(WORTH_BYTES));
  expect(drop.attempts).toBeLessThan(400);
  expect(block.attempts).toBeGreaterThan(10_000);
  // enough bytes may arrive in more than one attempt
  const halves = await failing({}, failed("ECONNRESET"), (retries) => retries.moved(WORTH_BYTES / 2));
  expect(halves.attempts).toBeGreaterThan(5_000);
});
