import type { Clock } from "../../provider/base/runtime/time/clock.ts";

/** A clock that is stopped until a test runs it: hours pass in no time, and every wait is recorded. */
export class VirtualClock implements Clock {
  /** Wall-clock time in milliseconds since 1970; may be set, as an administrator might. */
  wallMs: number;
  /** The value of `random`. */
  chance = 0.5;
  /** Every requested delay that ran out, in milliseconds. */
  readonly waits: number[] = [];
  readonly #startMs: number;
  #elapsedMs = 0;
  readonly #timers = new Set<{ at: number; delayMs: number; callback: () => void }>();

  constructor(start = "2026-01-01T00:00:00Z") {
    this.#startMs = Date.parse(start);
    this.wallMs = this.#startMs;
  }

  now = (): number => this.wallMs;
  /** The time of a clock that is never set: the service's. Milliseconds since 1970. */
  trueNow = (): number => this.#startMs + this.#elapsedMs;
  monotonic = (): number => this.#elapsedMs;
  random = (): number => this.chance;
  after = (delayMs: number, callback: () => void): (() => void) => {
    const timer = { at: this.#elapsedMs + delayMs, delayMs, callback };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  };

  /** Pending timers. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Advances time at once, and fires due timers. */
  advance(byMs: number): void {
    const end = this.#elapsedMs + byMs;
    for (let next = this.#next(); next && next.at <= end; next = this.#next()) this.#fire(next);
    this.#moveTo(end);
  }

  /** Advances time from timer to timer until `work` is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    const state = { done: false };
    const settled = (): void => {
      state.done = true;
    };
    work.then(settled, settled);
    for (;;) {
      // a turn of the event loop: everything that needs no time happens before time advances
      await new Promise((resolve) => setImmediate(resolve));
      if (state.done) return work;
      const next = this.#next();
      if (!next) throw new Error("the work waits for something other than this clock");
      this.#fire(next);
    }
  }

  #next(): { at: number; delayMs: number; callback: () => void } | undefined {
    return [...this.#timers].sort((a, b) => a.at - b.at)[0];
  }

  #fire(timer: { at: number; delayMs: number; callback: () => void }): void {
    this.#timers.delete(timer);
    this.#moveTo(Math.max(timer.at, this.#elapsedMs));
    this.waits.push(timer.delayMs);
    timer.callback();
  }

  #moveTo(elapsedMs: number): void {
    this.wallMs += elapsedMs - this.#elapsedMs;
    this.#elapsedMs = elapsedMs;
  }
}
