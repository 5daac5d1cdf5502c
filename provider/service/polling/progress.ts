import { formatDuration } from "../../runtime/time/duration";
import type { Observation } from "./observation";
import { estimateRemainingMs } from "./remainingTime";

/** Resolution of a shown forecast, in milliseconds: it is not more precise than that. A shorter one says nothing and is not shown. */
const FORECAST_STEP_MS = 5_000;

/** The progress line of a job. Changing values come first, because a row is narrow: "43% · 18 pages · ~20s · running". */
export function describeProgress(history: readonly Observation[]): string {
  const { status, progress, pageCount } = history.at(-1) ?? { status: "unknown" };
  const remainingMs = estimateRemainingMs(history);
  return [
    progress === undefined ? [] : `${Math.floor(progress)}%`,
    pageCount === undefined ? [] : `${pageCount} ${pageCount === 1 ? "page" : "pages"}`,
    remainingMs === undefined || remainingMs < FORECAST_STEP_MS
      ? []
      : `~${formatDuration(Math.ceil(remainingMs / FORECAST_STEP_MS) * FORECAST_STEP_MS)}`,
    status,
  ]
    .flat()
    .join(" · ");
}
