import type { VirtualClock } from "../simulation/virtualClock.ts";

/**
 * Runs code that knows no other clock than the machine's on a virtual one: `setTimeout`, `Date.now` and `Math.random` are
 * the clock's until it is done. The code itself stays as it was published.
 */
export async function onVirtualTime<T>(clock: VirtualClock, run: () => Promise<T>): Promise<T> {
  const { setTimeout } = globalThis;
  const { now } = Date;
  const { random } = Math;
  globalThis.setTimeout = ((callback: () => void, delayMs: number) =>
    clock.after(delayMs, callback)) as never;
  Date.now = clock.now;
  Math.random = clock.random;
  try {
    return await run();
  } finally {
    globalThis.setTimeout = setTimeout;
    Date.now = now;
    Math.random = random;
  }
}
