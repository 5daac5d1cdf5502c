import type { Reporter } from "../base/runtime/messages/reporter";
import { formatDuration } from "../base/runtime/time/duration";

interface CodeRow {
  /**
   * When it is reported: by a refresh that finds it, too; or only as a debug line, so that a stack of a hundred unchanged exports prints
   * nothing. @default by an `up` and its preview
   */
  readonly reported?: "refreshAndUp" | "debug";
  /** The action and its reason, for the reference: `npm run schema` writes it. */
  readonly text: string;
}

const ROWS = {
  NEW: {
    text: "a new resource: a job is started, an agent job is awaited, a bundle is copied, or a kit is written",
  },
  NEW_CONTENT: {
    text: "`version`, `triggers` or `exportOptions` changed: a job is started. Of a copy or kit, its source or its settings changed: it is made again",
  },
  STARTED_AGAIN: {
    text: "the last export failed or its job is unknown: a job is started",
  },
  RESUMED: {
    text: "an earlier run was interrupted: its job is continued and none is started; its copy or kit is completed and not published again",
  },
  ADOPTED: {
    text: "`jobId` was given or changed: the provider waits for that job and starts none. After an import, the program's first `version`, `triggers` and `exportOptions` are stored as those of the imported job",
  },
  RENEW_WINDOW: {
    text: "the link is due for renewal or expired, its end is unknown and an input changed, or the state has no valid link or date: a new link to the same job",
  },
  JOB_GONE: {
    reported: "refreshAndUp",
    text: "the service no longer has the job, as a refresh or an update (with a warning) found: a job is started",
  },
  SETTINGS: {
    text: "only `renewBefore`, `renewalTimeout`, `apiKeyEnv`, `acceptFailed`, a label or the URN changed: stored without a request",
  },
  REPLACED: {
    text: "`domain`, `baseUrl`, the agent job, or the destination of a copy or of kits changed: the resource is replaced",
  },
  DRIFTED: {
    reported: "refreshAndUp",
    text: "a refresh found the copy or kit missing or changed: it is made again; or its mark gone: only the mark is written",
  },
  MISSING: {
    text: "a folder of this machine does not have the copy or kit of the state, as on a new runner of a pipeline: it is made again",
  },
  JOB_UNKNOWN: {
    text: "the service accepted a start, but its reply had no usable `jobId`: the error is repeated without a request, until `jobId`, `version` or `triggers` change",
  },
  JOB_FAILED: {
    text: "an agent job failed: the error is repeated without a request",
  },
  UP_TO_DATE: {
    reported: "debug",
    text: "nothing to do; printed only with `pulumi up --debug` (see below). `renewAfter` shows when a link is due",
  },
} as const;

export type DecisionCode = keyof typeof ROWS;

/** The reasons for an action, or for none. The codes are stable: tests and alerts use them. */
export const DECISION_CODES: Readonly<Record<DecisionCode, CodeRow>> = ROWS;

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

/** Reports a decision. */
export function reportDecision({ debug, info }: Pick<Reporter, "debug" | "info">, decision: Decision): void {
  const report = DECISION_CODES[decision.code].reported === "debug" ? debug : info;
  report(decisionLine(decision));
}

/** "in 3h20m", "2m ago" */
export function fromNow(atMs: number, nowMs: number): string {
  const awayMs = atMs - nowMs;
  return awayMs >= 0 ? `in ${formatDuration(awayMs)}` : `${formatDuration(-awayMs)} ago`;
}
