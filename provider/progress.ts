import type { Clock } from "./clock";
import { formatDuration } from "./duration";
import type { Observation } from "./pollSchedule";

/** Shortest time between two progress lines, in milliseconds. */
const MIN_INTERVAL_MS = 1_000;

/** One look at a job in one line: "running, 43%, 18 pages, 12s". */
export function describeProgress({ status, progress, pageCount, elapsedMs }: Observation): string {
  return [
    status,
    progress === undefined ? [] : `${Math.floor(progress)}%`,
    pageCount === undefined ? [] : `${pageCount} ${pageCount === 1 ? "page" : "pages"}`,
    formatDuration(elapsedMs),
  ]
    .flat()
    .join(", ");
}

/** Passes a line on when it is new and the last one is at least a second old. Lines in between are dropped. */
export function throttleProgress(clock: Clock, show: (line: string) => void): (line: string) => void {
  let last: { line: string; at: number } | undefined;
  return (line) => {
    const at = clock.monotonic();
    if (last && (last.line === line || at - last.at < MIN_INTERVAL_MS)) return;
    last = { line, at };
    show(line);
  };
}
