import type { Clock } from "../../runtime/time/clock";

/** Shortest time between two progress lines, in milliseconds. */
const MIN_INTERVAL_MS = 1_000;
/** Longest time between two progress lines, in milliseconds: a row that stays unchanged for longer looks stuck. */
const HEARTBEAT_MS = 25_000;

/**
 * The progress line of one operation. It is shown when it changes, at most once a second, and again at least every 30 s while nothing
 * changes. The CLI adds the elapsed time to the row.
 */
export class ProgressRow {
  readonly #clock: Clock;
  readonly #show: (line: string) => void;
  #text = "";
  #closed = false;
  #shownAt = -Infinity;
  #cancelTimer = (): void => undefined;

  constructor(clock: Clock, show: (line: string) => void) {
    this.#clock = clock;
    this.#show = show;
  }

  set(text: string): void {
    if (this.#closed || text === this.#text) return;
    this.#text = text;
    const waitMs = this.#shownAt + MIN_INTERVAL_MS - this.#clock.monotonic();
    if (waitMs > 0) this.#showAfter(waitMs);
    else this.#showNow();
  }

  /** Clears the row, because the CLI would keep the last line. Later lines are ignored, and no timer remains. */
  close(): void {
    if (!this.#closed && this.#shownAt > -Infinity) this.#show("");
    this.#closed = true;
    this.#cancelTimer();
  }

  #showNow(): void {
    this.#shownAt = this.#clock.monotonic();
    this.#show(this.#text);
    this.#showAfter(HEARTBEAT_MS);
  }

  #showAfter(delayMs: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(delayMs, () => {
      this.#showNow();
    });
  }
}
