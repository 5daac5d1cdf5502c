import { malformed } from "../http/malformed";
import { readIdentifier } from "./identifier";
import { readWarnings, type JobWarnings } from "./jobWarnings";
import type { Outcome } from "./polling/observation";
import { redact } from "../runtime/messages/redaction";
import { toCount, toNumber } from "./replyNumber";
import type { Reply } from "../http/transport";

/** An export job as the service reports it. */
export interface ExportJob {
  /** In lower case, redacted. */
  readonly status: string;
  /** Meaning of the status. */
  readonly outcome: Outcome;
  /** Whether the status is unknown: it counts as still running, which may be wrong. */
  readonly isUnexpected: boolean;
  /** Whether the service wrote the status differently: in another letter case, or with white space around it. */
  readonly isMisspelled?: boolean;
  /** Percent done, 0 to 100, if the service reports it. */
  readonly progress?: number | undefined;
  /** Pages rendered so far, if the service reports it. */
  readonly pageCount?: number | undefined;
  /** The service's message about why the job failed, redacted, if there is one. */
  readonly reason?: string | undefined;
  /** Warnings about the content of a completed job, if the service reports any. */
  readonly warnings?: JobWarnings | undefined;
  /** The pause that the service requests (`Retry-After`), in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** Known statuses. The API documents the two final ones; the others clearly mean «pending» and need no warning. */
const OUTCOMES: Readonly<Record<string, Outcome>> = {
  completed: "success",
  failed: "failure",
  active: "pending",
  created: "pending",
  in_progress: "pending",
  "in-progress": "pending",
  packaging: "pending",
  pending: "pending",
  processing: "pending",
  queued: "pending",
  rendering: "pending",
  running: "pending",
  started: "pending",
};

/** A job that was started and not polled yet. */
export const JUST_STARTED: ExportJob = { status: "queued", outcome: "pending", isUnexpected: false };

/**
 * Reads the reply of get-status tolerantly: only `status` is required.
 *
 * @throws MalformedResponseError if the status is missing, or the reply is about another job
 */
export function readExportJob(jobId: string, reply: Reply): ExportJob {
  const { endpoint, body, retryAfterMs } = reply;
  const fail = (what: string): never => {
    throw malformed(endpoint, what);
  };
  const { status: written } = body;
  const status = readStatus(reply);
  if (status === "") return fail('without a "status"');
  if (readIdentifier(body["jobId"] ?? jobId) !== jobId) return fail("about another job");
  const progress = toNumber(body["progress"]);
  const reason = [body["error"], body["reason"], body["message"]]
    .map((text) => (typeof text === "string" ? redact(text) : ""))
    .find((text) => text !== "");
  const known = Object.hasOwn(OUTCOMES, status) ? OUTCOMES[status] : undefined;
  return {
    status,
    outcome: known ?? "pending",
    isUnexpected: known === undefined,
    ...(written !== status && { isMisspelled: true }),
    progress: progress === undefined ? undefined : Math.min(100, Math.max(0, progress)),
    pageCount: toCount(body["pageCount"]),
    reason,
    warnings: known === "success" ? readWarnings(body) : undefined,
    retryAfterMs,
  };
}

/** The reply to a start: the new job, and its state if the service reports it. */
export interface StartReply {
  readonly jobId: string;
  /** Absent if the service reports only the id. */
  readonly job?: ExportJob;
}

/**
 * Reads the reply of start-job tolerantly: only `jobId` is required.
 *
 * @throws MalformedResponseError if the id is missing
 */
export function readStartReply(reply: Reply): StartReply {
  const jobId = readIdentifier(reply.body["jobId"]);
  // an id that contains a secret would be stored and shown
  if (jobId === undefined || reply.secrets.removeFrom(jobId) !== jobId) {
    throw malformed(reply.endpoint, 'without a usable "jobId"');
  }
  return readStatus(reply) === "" ? { jobId } : { jobId, job: readExportJob(jobId, reply) };
}

function readStatus({ body: { status }, secrets }: Reply): string {
  // secrets are removed first: in lower case they would not be found
  return typeof status === "string" ? redact(secrets.removeFrom(status)).toLowerCase() : "";
}
