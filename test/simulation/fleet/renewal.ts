import type { Fault } from "../../../provider/base/http/retryPolicy.ts";
import type { ProviderCode } from "./providerCode.ts";
import type { Timeline } from "./timeline.ts";

/** How long a service that never answered is retried, and one that refuses connections: as in `provider/base/http/retries.ts`. */
const SILENCE_LIMIT_MS = 2 * 60_000;
const REFUSED_LIMIT_MS = 15_000;

export interface RenewalContext {
  readonly code: ProviderCode;
  readonly timeline: Timeline;
  /** @returns why no link is created; `undefined` when one is */
  readonly answer: (nowMs: number) => Fault | undefined;
  readonly random: () => number;
  /** From a request until its answer has arrived, in milliseconds. */
  readonly roundTripMs: () => number;
}

/**
 * Renews a link, with all attempts, and calls `ended` with whether it was renewed. The provider's own `retryPolicy` decides what
 * is sent again and when. The loop around it is that of `Retries` without its connections, texts and promises, which would take a
 * hundred times as long, and without the pacer, with which a quota refuses less; `test/histories/fleet.test.ts` compares the two.
 *
 * @param limitMs time limit of the renewal
 * @param isKilled its process is gone: no further request, and `ended` is not called
 */
export function renewLink(
  { code, timeline, answer, random, roundTripMs }: RenewalContext,
  limitMs: number,
  ended: (isRenewed: boolean) => void,
  isKilled: () => boolean = () => false,
): void {
  const beganMs = timeline.nowMs;
  const counts = new Map<string, number>();
  let failures = 0;
  let wasAnswered = false;
  const attempt = (): void => {
    if (isKilled()) return;
    const tripMs = roundTripMs();
    const remainingMs = beganMs + limitMs - timeline.nowMs;
    // the time limit cuts an attempt off
    if (tripMs > remainingMs) timeline.after(remainingMs, () => ended(false));
    else timeline.after(tripMs, arrived);
  };
  const arrived = (): void => {
    const fault = answer(timeline.nowMs);
    if (isKilled()) return; // a created link is lost
    if (!fault) return ended(true);
    wasAnswered ||= fault.kind === "status";
    failures++;
    const counted = code.countedAs(fault, "repeatable");
    const count = (counts.get(counted) ?? 0) + 1;
    counts.set(counted, count);
    const delayMs = code.retryDelayMs(fault, failures, random());
    const elapsedMs = timeline.nowMs - beganMs;
    const isLast = count > code.allowedRepeats(fault, "repeatable", wasAnswered);
    const isOutOfTime = delayMs >= limitMs - elapsedMs;
    const isRefused = fault.kind === "unreachable" && fault.code === "ECONNREFUSED";
    const silenceLimitMs = isRefused ? REFUSED_LIMIT_MS : SILENCE_LIMIT_MS;
    const isSilent = !wasAnswered && elapsedMs + delayMs >= silenceLimitMs;
    if (isLast || isOutOfTime || isSilent) return ended(false);
    timeline.after(delayMs, attempt);
  };
  attempt();
}
