import type { Clock } from "../../base/runtime/time/clock";
import { formatDuration } from "../../base/runtime/time/duration";

/** Shortest time between two progress lines, in milliseconds. */
const MIN_INTERVAL_MS = 1_000;

/** Longest time between two progress lines, in milliseconds: a row that stays unchanged for longer looks stuck. */
const HEARTBEAT_MS = 25_000;

/** The row of one operation. */
interface ProgressRow {
  set(line: string): void;
  /** Shows the line again, after another one. @param other the other one */
  repeat(other: string): void;
  /**
   * Ends the row. The CLI keeps the last line until the whole run ends, so the last one says that the operation is done; after a failure
   * it is the engine's error. Later lines are ignored, and no timer remains.
   */
  close(isDone: boolean): void;
}

/**
 * The progress line of one operation. It is shown when it changes, at most once a second, and again at least every 30 s while nothing
 * changes. The CLI adds the elapsed time to the row.
 */
export function progressRow(clock: Clock, show: (line: string) => void): ProgressRow {
  let text = "";
  let isClosed = false;
  let shownAt = -Infinity;
  const startedAt = clock.monotonic();
  let cancelTimer = (): void => undefined;
  const showNow = (): void => {
    shownAt = clock.monotonic();
    show(text);
    showAfter(HEARTBEAT_MS);
  };
  const showAfter = (delayMs: number): void => {
    cancelTimer();
    cancelTimer = clock.after(delayMs, showNow);
  };
  return {
    set(line) {
      if (isClosed || line === text) return;
      text = line;
      const waitMs = shownAt + MIN_INTERVAL_MS - clock.monotonic();
      if (waitMs > 0) showAfter(waitMs);
      else showNow();
    },

    repeat(other) {
      if (!isClosed && shownAt > -Infinity && text !== other) showNow();
    },

    close(isDone) {
      if (!isClosed && isDone && shownAt > -Infinity) {
        show(`done in ${formatDuration(clock.monotonic() - startedAt)}`);
      }
      isClosed = true;
      cancelTimer();
    },
  };
}
