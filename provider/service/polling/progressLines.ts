import type { Reporter } from "../../base/runtime/messages/reporter";
import { formatDuration } from "../../base/runtime/time/duration";
import { estimateRemainingMs, type Observation } from "./forecast";

/** Shortest time between two lines that stay, in milliseconds: a job that jumps from status to status prints few. */
const MIN_MS = 10_000;
/** The time after which a line stays although nothing changed, in milliseconds. It doubles with each such line. */
const UNCHANGED_MS = 60_000;
/** Longest such time, in milliseconds: a longer silence looks as if the job were stuck. */
const UNCHANGED_MAX_MS = 5 * 60_000;
/** A quarter of a job, in percent. */
const QUARTER = 25;
/** Resolution of a shown forecast, in milliseconds: it is not more precise than that. A shorter one says nothing and is not shown. */
const FORECAST_STEP_MS = 5_000;

/**
 * Reports each poll on the progress row. Lines that stay report another status, each quarter of a long job, and that it goes on where
 * nothing else does: a row of a terminal with less than 120 columns has no space for the progress, and the log of a pipeline shows none.
 */
export function reportProgress(
  reporter: Reporter,
): (history: readonly Observation[], isFinal: boolean) => void {
  let quarters = 0;
  let reportedMs = 0;
  let unchangedMs = UNCHANGED_MS;
  let reportedStatus: string | undefined;
  return (history, isFinal) => {
    const line = describeProgress(history);
    const { progress = 0, elapsedMs = 0, status } = history.at(-1) ?? {};
    reporter.progress(line);
    reportedStatus ??= status;
    const sinceMs = elapsedMs - reportedMs;
    const reached = Math.floor(progress / QUARTER);
    // what follows reports the end
    const isUnchanged = reached <= quarters && (isFinal || status === reportedStatus);
    if (sinceMs < (isUnchanged ? unchangedMs : MIN_MS)) return;
    if (isUnchanged) unchangedMs = Math.min(2 * unchangedMs, UNCHANGED_MAX_MS);
    reporter.info(line, true);
    quarters = Math.max(quarters, reached);
    reportedMs = elapsedMs;
    reportedStatus = status;
  };
}

/** The figures of a poll, as they are shown: "43%", "18 pages". */
export function figuresOf({ progress, pageCount }: Pick<Observation, "progress" | "pageCount">): string[] {
  return [
    progress === undefined ? [] : `${Math.floor(progress)}%`,
    pageCount === undefined ? [] : `${pageCount} ${pageCount === 1 ? "page" : "pages"}`,
  ].flat();
}

/** The progress line of a job. Changing values come first, because a row is narrow: "43% · 18 pages · ~20s · running". */
function describeProgress(history: readonly Observation[]): string {
  const { status, ...figures } = history.at(-1) ?? { status: "unknown" };
  const remainingMs = estimateRemainingMs(history);
  return [
    ...figuresOf(figures),
    remainingMs === undefined || remainingMs < FORECAST_STEP_MS
      ? []
      : `~${formatDuration(Math.ceil(remainingMs / FORECAST_STEP_MS) * FORECAST_STEP_MS)}`,
    status,
  ]
    .flat()
    .join(" · ");
}
