import type { Clock } from "../../provider/base/runtime/time/clock.ts";

/** The time between two looks at the machine's clock, and the most of it that counts, in milliseconds. */
const TICK_MS = 1;
const LONGEST_TICK_MS = 5;

interface Timer {
  readonly endMs: number;
  readonly delayMs: number;
  readonly callback: () => void;
}

/**
 * A clock that runs faster than the machine's, for limits of ours over real sockets. While something waits for it, the time in which a
 * busy machine let this process rest does not count: the servers of a test are in the same process, and rested, too.
 */
export class FasterClock implements Clock {
  /** Every requested delay that ran out, in milliseconds. */
  readonly waits: number[] = [];
  readonly #speed: number;
  readonly #startMs = Date.now();
  #seenMs = performance.now();
  #elapsedMs = 0;
  readonly #timers = new Set<Timer>();
  #ticks: NodeJS.Timeout | undefined;

  /** @param speed its seconds in one second of the machine */
  constructor(speed: number) {
    this.#speed = speed;
  }

  now = (): number => this.#startMs + this.monotonic();
  monotonic = (): number => {
    const nowMs = performance.now();
    const passedMs = nowMs - this.#seenMs;
    this.#seenMs = nowMs;
    this.#elapsedMs += (this.#ticks ? Math.min(passedMs, LONGEST_TICK_MS) : passedMs) * this.#speed;
    return this.#elapsedMs;
  };
  random = (): number => 0.5;
  after = (delayMs: number, callback: () => void): (() => void) => {
    const timer = { endMs: this.monotonic() + delayMs, delayMs, callback };
    this.#timers.add(timer);
    this.#ticks ??= setInterval(() => this.#tick(), TICK_MS);
    return () => {
      this.#timers.delete(timer);
      this.#rest();
    };
  };

  #tick(): void {
    const nowMs = this.monotonic();
    const due = [...this.#timers].filter(({ endMs }) => endMs <= nowMs).sort((a, b) => a.endMs - b.endMs);
    for (const timer of due) {
      if (!this.#timers.delete(timer)) continue; // an earlier one has cancelled it
      this.waits.push(timer.delayMs);
      timer.callback();
    }
    this.#rest();
  }

  #rest(): void {
    if (this.#timers.size > 0) return;
    clearInterval(this.#ticks);
    this.#ticks = undefined;
  }
}
