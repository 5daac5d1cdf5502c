import { formatDuration } from "../runtime/time/duration";
import type { Reporter } from "../runtime/messages/reporter";

/** The reason for an action, or for none. Stable: documented in docs/reference/decision-codes.md, and used by tests and alerts. */
export type DecisionCode =
  /** A new resource: the provider starts a job, waits for an agent job, copies a bundle or writes a kit. */
  | "NEW"
  /** `domain`, `baseUrl`, the agent job, or the destination of a copy or of kits changed: a replacement. */
  | "REPLACED"
  /**
   * `version`, `triggers` or `exportOptions` changed: a job is started. For a copy or kit: its source or its settings changed.
   */
  | "NEW_CONTENT"
  /** `jobId` was given or changed: no job is started. */
  | "ADOPTED"
  /** An earlier run was interrupted: its job is continued; its copy or kit is completed. */
  | "RESUMED"
  /** The last job failed or its id was never known: a job is started. */
  | "STARTED_AGAIN"
  /** The link is inside its renewal window or past it, or the state has no valid one: a new link is minted. */
  | "RENEW_WINDOW"
  /** The service no longer has the job: a job is started. */
  | "JOB_GONE"
  /** A refresh found a copy or kit missing or changed: it is made again. */
  | "DRIFTED"
  /** A folder of this machine does not have its copy or kit, as on a new runner of a pipeline: it is made again. */
  | "MISSING"
  /** An agent job failed, and `acceptFailed` is not set. */
  | "JOB_FAILED"
  /**
   * A change that needs no request: `renewBefore`, `renewalTimeout`, `apiKeyEnv`, `acceptFailed`, `version` beside a `jobId`, or
   * the URN.
   */
  | "SETTINGS"
  /** No action is needed. */
  | "UP_TO_DATE";

/** A decision, shown to the user as one line. */
export interface Decision {
  readonly code: DecisionCode;
  /** The action, and its job. */
  readonly text: string;
}

/** A decision as one line: `NEW: …`. */
export function decisionLine({ code, text }: Decision): string {
  return `${code}: ${text}`;
}

/** Reports a decision. `UP_TO_DATE` is only a debug line, so that a stack of a hundred unchanged exports prints nothing. */
export function reportDecision({ debug, info }: Pick<Reporter, "debug" | "info">, decision: Decision): void {
  const report = decision.code === "UP_TO_DATE" ? debug : info;
  report(decisionLine(decision));
}

/** "in 3h20m", "2m ago" */
export function fromNow(atMs: number, nowMs: number): string {
  const awayMs = atMs - nowMs;
  return awayMs >= 0 ? `in ${formatDuration(awayMs)}` : `${formatDuration(-awayMs)} ago`;
}
