import { malformed } from "../http/malformed";
import { readIdentifier } from "./identifier";
import { readWarnings, type JobWarnings } from "./jobWarnings";
import type { Outcome } from "../polling/outcome";
import { redact } from "../messages/redaction";
import { toCount, toNumber } from "./replyNumber";
import type { Reply } from "../http/transport";

/** An export job as the service reports it. */
export interface ExportJob {
  /** In lower case, redacted. */
  readonly status: string;
  /** What that status means. */
  readonly outcome: Outcome;
  /** The status is none that is known: taken for «still running», which may be wrong. */
  readonly isUnexpected: boolean;
  /** The service wrote the status otherwise: in another letter case, or with white space around it. */
  readonly respelt?: boolean;
  /** Percent done, 0 to 100, when the service says so. */
  readonly progress?: number;
  /** Pages rendered so far, when the service says so. */
  readonly pageCount?: number;
  /** Why the job failed, in the service's words, redacted, when it says so. */
  readonly reason?: string;
  /** What the service found wrong in the content of a completed job, when it says so. */
  readonly warnings?: JobWarnings;
  /** How long the service asks not to be asked again (`Retry-After`), in milliseconds. */
  readonly retryAfterMs?: number;
}

/** Statuses that are known. The API shows the two that are final; the others plainly mean «not yet» and need no warning. */
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

/** A job of which nothing is known but that it was started. */
export const JUST_STARTED: ExportJob = { status: "queued", outcome: "pending", isUnexpected: false };

/**
 * Reads the reply of get-status tolerantly: only `status` must be there.
 *
 * @throws MalformedResponseError when there is no status, or the reply is about another job
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
  const pageCount = toCount(body["pageCount"]);
  const reason = [body["error"], body["reason"], body["message"]]
    .map((text) => (typeof text === "string" ? redact(text) : ""))
    .find((text) => text !== "");
  const warnings = readWarnings(body);
  const known = Object.hasOwn(OUTCOMES, status) ? OUTCOMES[status] : undefined;
  return {
    status,
    outcome: known ?? "pending",
    isUnexpected: known === undefined,
    ...(written !== status && { respelt: true }),
    ...(progress !== undefined && { progress: Math.min(100, Math.max(0, progress)) }),
    ...(pageCount !== undefined && { pageCount }),
    ...(reason !== undefined && { reason }),
    ...(known === "success" && warnings && { warnings }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** The reply to a start: the new job, with as much of its state as the service tells. */
export interface StartReply {
  readonly jobId: string;
  /** Absent when the service says no more than the id. */
  readonly job?: ExportJob;
}

/**
 * Reads the reply of start-job tolerantly: only `jobId` must be there, and nothing else in it can make it useless.
 *
 * @throws MalformedResponseError when there is no id
 */
export function readStartReply(reply: Reply): StartReply {
  const jobId = readIdentifier(reply.body["jobId"]);
  // an id that holds the key would be stored and shown
  if (jobId === undefined || reply.secrets.removeFrom(jobId) !== jobId) {
    throw malformed(reply.endpoint, 'without a usable "jobId"');
  }
  return readStatus(reply) === "" ? { jobId } : { jobId, job: readExportJob(jobId, reply) };
}

function readStatus({ body: { status }, secrets }: Reply): string {
  // in lower case nobody would find them any more
  return typeof status === "string" ? redact(secrets.removeFrom(status)).toLowerCase() : "";
}
