import type { Fetch } from "../../provider/base/http/attempt.ts";
import { scriptedFetch } from "./scriptedFetch.ts";
import type { VirtualClock } from "./virtualClock.ts";

/** Ways in which services count the requests of a second. */
export const COUNTING = {
  /** Those of each second of the clock. */
  fixedWindow: (clock: VirtualClock, aSecond: number) => {
    let [second, count] = [-1, 0];
    return (): boolean => {
      const now = Math.floor(clock.monotonic() / 1_000);
      if (now !== second) [second, count] = [now, 0];
      return ++count <= aSecond;
    };
  },
  /** Those that passed in the second before. */
  slidingWindow: (clock: VirtualClock, aSecond: number) => {
    const passed: number[] = [];
    return (): boolean => {
      const now = clock.monotonic();
      const passes = passed.filter((atMs) => atMs > now - 1_000).length < aSecond;
      if (passes) passed.push(now);
      return passes;
    };
  },
  /** A token bucket. */
  tokenBucket: (clock: VirtualClock, aSecond: number) => {
    let [tokens, atMs] = [aSecond, 0];
    return (): boolean => {
      tokens = Math.min(aSecond, tokens + ((clock.monotonic() - atMs) * aSecond) / 1_000);
      atMs = clock.monotonic();
      if (tokens < 1) return false;
      tokens--;
      return true;
    };
  },
};

/**
 * A delayed way to the service, with a rate limit: a number of requests a second pass, the others are refused with 429 and
 * `Retry-After: 1`.
 *
 * @param latencyMs of both ways together; varies by two fifths
 */
export function limitedFetch(
  fetch: Fetch,
  clock: VirtualClock,
  { passes = (): boolean => true, latencyMs = 50 },
): { fetch: Fetch; sent: number; refused: number } {
  const refusal = scriptedFetch(() => ({
    status: 429,
    headers: { "retry-after": "1", date: new Date(clock.trueNow()).toUTCString() },
  }));
  const pass = (delayMs: number): Promise<void> => new Promise((resolve) => clock.after(delayMs, resolve));
  const gate = {
    sent: 0,
    refused: 0,
    fetch: (async (url, init) => {
      const oneWayMs = (latencyMs / 2) * (0.6 + 0.8 * clock.random());
      gate.sent++;
      await pass(oneWayMs);
      const isRefused = !passes();
      if (isRefused) gate.refused++;
      const answer = await (isRefused ? refusal.fetch : fetch)(url, init);
      await pass(oneWayMs);
      return answer;
    }) satisfies Fetch,
  };
  return gate;
}
