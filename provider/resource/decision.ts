import { formatDuration } from "../time/duration";
import type { Reporter } from "../messages/reporter";

/** Why something is done, or not. Stable: documented in sdk/README.md, and what tests and alerts look for. */
export type ReasonCode =
  /** A new resource: a job is started; that of an agent is waited for; a bundle is copied, a kit written. */
  | "NEW"
  /** `domain`, `baseUrl`, which agent job, or the place of a copy or of kits changed: a replacement. */
  | "REPLACED"
  /** `version`, `triggers` or `exportOptions` changed: a job is started. Of a copy or kit: its source, or how it is to be made. */
  | "NEW_CONTENT"
  /** `jobId` was given or changed: no job is started. */
  | "ADOPTED"
  /** An earlier run was cut off: its job goes on; its copy or kit is completed. */
  | "RESUMED"
  /** The last job failed or was never known: a job is started. */
  | "STARTED_AGAIN"
  /** The link is inside its renewal window or past it: a fresh one is asked for. */
  | "RENEW_WINDOW"
  /** The service does not have the job any more: a job is started. */
  | "JOB_GONE"
  /** A copy or kit is not there any more, or not as it was made: it is made again. */
  | "DRIFTED"
  /** An agent job failed, and that is not accepted. */
  | "JOB_FAILED"
  /** Only what needs no request changed: `renewBefore`, `renewalTimeout`, `apiKeyEnv`, `acceptFailed`, `version` beside a `jobId`, or the URN. */
  | "SETTINGS"
  /** Nothing is to be done. */
  | "UP_TO_DATE";

/** A decision as the user reads it: one line. */
export interface Decision {
  readonly because: ReasonCode;
  /** What is done about it, and with which job. */
  readonly text: string;
}

export function decisionLine({ because, text }: Decision): string {
  return `${because}: ${text}`;
}

/** Tells a decision: to debuggers only where nothing is done, for a stack of a hundred exports has nothing to say then. */
export function tellDecision({ debug, info }: Pick<Reporter, "debug" | "info">, decision: Decision): void {
  const tell = decision.because === "UP_TO_DATE" ? debug : info;
  tell(decisionLine(decision));
}

/** "in 3h20m", "2m ago" */
export function fromNow(atMs: number, nowMs: number): string {
  const awayMs = atMs - nowMs;
  return awayMs >= 0 ? `in ${formatDuration(awayMs)}` : `${formatDuration(-awayMs)} ago`;
}
