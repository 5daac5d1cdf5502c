import { MalformedResponseError } from "../words/errors";
import { readIdentifier } from "./identifier";
import { redact, withoutSecrets } from "../words/redaction";
import { toCount, toNumber } from "./replyNumber";
import type { Reply } from "../http/transport";

/** An export job as the service reports it, see `spec.md`, Static export job. */
export interface ExportJob {
  /** In lower case, redacted. Only `completed` and `failed` have a meaning. */
  readonly status: string;
  /** The service wrote the status otherwise: in another letter case, or with white space around it. */
  readonly respelt?: boolean;
  /** Percent done, 0 to 100, when the service says so. */
  readonly progress?: number;
  /** Pages rendered so far, when the service says so. */
  readonly pageCount?: number;
  /** Why the job failed, in the service's words, redacted, when it says so. */
  readonly reason?: string;
  /** How long the service asks not to be asked again (`Retry-After`), in milliseconds. */
  readonly retryAfterMs?: number;
}

/** Whether the job will not change any more. */
export function isFinal(job: ExportJob): boolean {
  return job.status === "completed" || job.status === "failed";
}

/** Statuses that plainly mean «not yet». `spec.md` names none, so this list only decides what needs no warning. */
const EXPECTED_WHILE_RUNNING = new Set([
  "active",
  "created",
  "in_progress",
  "in-progress",
  "packaging",
  "pending",
  "processing",
  "queued",
  "rendering",
  "running",
  "started",
]);

/** Whether a status deserves a word to the user: it is taken for «still running», which may be wrong. */
export function isUnexpected(job: ExportJob): boolean {
  return !isFinal(job) && !EXPECTED_WHILE_RUNNING.has(job.status);
}

/**
 * Reads the reply of get-status tolerantly: only `status` must be there.
 *
 * @param key must not appear in the texts of the service that are shown
 * @throws MalformedResponseError when there is no status, or the reply is about another job
 */
export function readExportJob(
  jobId: string,
  { endpoint, body, retryAfterMs }: Reply,
  key: string,
): ExportJob {
  const fail = (what: string): never => {
    throw new MalformedResponseError(
      `${endpoint} answered ${what}`,
      "Check that the base URL is that of the service; if it is, report this to the service's support.",
    );
  };
  const { status: written } = body;
  const status = readStatus(body, key);
  if (status === "") return fail('without a "status"');
  if (readIdentifier(body["jobId"] ?? jobId) !== jobId) return fail("about another job");
  const progress = toNumber(body["progress"]);
  const pageCount = toCount(body["pageCount"]);
  const reason = [body["error"], body["reason"], body["message"]]
    .map((text) => (typeof text === "string" ? redact(text, [key]) : ""))
    .find((text) => text !== "");
  return {
    status,
    ...(written !== status && { respelt: true }),
    ...(progress !== undefined && { progress: Math.min(100, Math.max(0, progress)) }),
    ...(pageCount !== undefined && { pageCount }),
    ...(reason !== undefined && { reason }),
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
 * @param key must not appear in the texts of the service that are shown
 * @throws MalformedResponseError when there is no id
 */
export function readStartReply(reply: Reply, key: string): StartReply {
  const jobId = readIdentifier(reply.body["jobId"]);
  // an id that holds the key would be stored and shown
  if (jobId === undefined || withoutSecrets(jobId, [key]) !== jobId) {
    throw new MalformedResponseError(
      `${reply.endpoint} answered without a usable "jobId"`,
      "Check that the base URL is that of the service; if it is, report this to the service's support.",
    );
  }
  return readStatus(reply.body, key) === "" ? { jobId } : { jobId, job: readExportJob(jobId, reply, key) };
}

function readStatus({ status }: Reply["body"], key: string): string {
  return typeof status === "string" ? redact(status, [key]).toLowerCase() : "";
}
