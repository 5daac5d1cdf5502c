import type { Clock } from "../../provider/time/clock.ts";

/** A clock that stands still until it is told to run: hours pass in no time, and every wait can be read off. */
export class VirtualClock implements Clock {
  /** Wall-clock time in milliseconds since 1970; may be set, as an administrator might. */
  wallMs: number;
  /** What `random` answers. */
  chance = 0.5;
  /** Every delay asked for, in milliseconds, that ran out. */
  readonly waits: number[] = [];
  readonly #startMs: number;
  #elapsedMs = 0;
  readonly #timers = new Set<{ at: number; delayMs: number; callback: () => void }>();

  constructor(start = "2026-01-01T00:00:00Z") {
    this.#startMs = Date.parse(start);
    this.wallMs = this.#startMs;
  }

  now = (): number => this.wallMs;
  /** What a clock shows that nobody sets: the service's. Milliseconds since 1970. */
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

  /** Timers that wait for their time. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Lets time pass at once, firing what falls due. */
  advance(byMs: number): void {
    const end = this.#elapsedMs + byMs;
    for (let next = this.#next(); next && next.at <= end; next = this.#next()) this.#fire(next);
    this.#moveTo(end);
  }

  /** Lets time jump from timer to timer until `work` is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    const state = { done: false };
    const settled = (): void => {
      state.done = true;
    };
    work.then(settled, settled);
    for (;;) {
      // a turn of the event loop: all that needs no time happens before time moves on
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
