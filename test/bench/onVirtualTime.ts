import type { VirtualClock } from "../simulation/virtualClock.ts";

/**
 * Runs code that knows only the machine's clock on a virtual one: it replaces `setTimeout`, `Date.now` and `Math.random` until
 * the code is done. The code itself stays as it was published.
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
