import type { Clock } from "../../provider/runtime/time/clock.ts";

/** A clock that runs faster than the machine's, for limits of ours over real sockets. */
export class FasterClock implements Clock {
  /** Every requested delay that ran out, in milliseconds. */
  readonly waits: number[] = [];
  readonly #speed: number;
  readonly #startedAt = performance.now();
  readonly #startMs = Date.now();

  /** @param speed its seconds in one second of the machine */
  constructor(speed: number) {
    this.#speed = speed;
  }

  now = (): number => this.#startMs + this.monotonic();
  monotonic = (): number => (performance.now() - this.#startedAt) * this.#speed;
  random = (): number => 0.5;
  after = (delayMs: number, callback: () => void): (() => void) => {
    const endMs = this.monotonic() + delayMs;
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      timer = setTimeout(
        () => {
          // the machine's timers count from when the event loop last read its clock: they may be early
          if (this.monotonic() < endMs) return wait();
          this.waits.push(delayMs);
          callback();
        },
        Math.ceil((endMs - this.monotonic()) / this.#speed),
      );
    };
    wait();
    return () => {
      clearTimeout(timer);
    };
  };
}
