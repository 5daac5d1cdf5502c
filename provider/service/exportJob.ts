import { malformed, toCount, toNumber } from "../base/http/reply";
import type { Reply } from "../base/http/transport";
import { InputError, UnreadableStartError } from "../base/runtime/messages/errors";
import { redact } from "../base/runtime/messages/plainText";
import { normaliseDomain } from "./domain";
import { readIdentifier } from "./identifier";
import { TEXT_LIMIT, warningsIn, warningText } from "./jobWarnings";
import type { PolledJob } from "./polling/jobWait";
import type { JobOutcome } from "./polling/jobWait";
import { endInWords, inLowerCase, PENDING } from "./statusWords";

/** What a job reports about its content. A state stores it, a resumed run continues with it, and the outputs have it. */
export interface JobReport {
  /** Number of pages of the export. Absent if the service does not report it. */
  pageCount?: number;
}

/** The readers of its fields; `undefined` if the service does not report one. */
const REPORT: { readonly [Name in keyof JobReport]-?: (value: unknown) => JobReport[Name] | undefined } = {
  pageCount: toCount,
};

/** An export job as the service reports it. */
export interface ExportJob extends Omit<PolledJob, "pageCount"> {
  /** Whether the service wrote the status differently: in another letter case, or with white space around it. */
  readonly isMisspelled?: boolean;
  /** Of a running job: so far. */
  readonly report: JobReport;
  /** The service's message about why the job failed, redacted, if there is one. */
  readonly reason?: string | undefined;
  /** The error that the service reports of a job that it calls completed, redacted. */
  readonly error?: string | undefined;
  /** The service's warnings about the content of a completed job, redacted, if there are any. */
  readonly warnings?: string | undefined;
}

/** Known statuses. The API documents the two final ones; others are final by {@link endInWords}. */
const OUTCOMES: Readonly<Record<string, JobOutcome>> = {
  completed: "success",
  failed: "failure",
  ...Object.fromEntries(PENDING.map((status) => [status, "pending"])),
};

/** A job that was started and not polled yet. */
export const JUST_STARTED: ExportJob = {
  status: "queued",
  outcome: "pending",
  isUnexpected: false,
  report: {},
};

/**
 * Reads the reply of get-status tolerantly: only `status` is required.
 *
 * @throws MalformedResponseError if the status is missing, or the reply is about another job
 */
export function readExportJob(jobId: string, reply: Reply): ExportJob {
  const { endpoint, body, retryAfterMs } = reply;
  const { status: written } = body;
  const status = readStatus(reply);
  const known = Object.hasOwn(OUTCOMES, status) ? OUTCOMES[status] : undefined;
  if (status === "") throw malformed(endpoint, `without a "status"${quotedError(body)}`);
  if (readIdentifier(body["jobId"] ?? jobId) !== jobId) throw malformed(endpoint, "about another job");
  const progress = toNumber(body["progress"]);
  const reason = [body["error"], body["reason"], body["message"]]
    .map((text) => (typeof text === "string" ? redact(text) : ""))
    .find((text) => text !== "");
  const outcome = known ?? endInWords(status) ?? "pending";
  const isMisspelled = known !== undefined && written !== status;
  return {
    status,
    outcome,
    isUnexpected: known === undefined,
    ...(isMisspelled && { isMisspelled }),
    progress: progress === undefined ? undefined : Math.min(100, Math.max(0, progress)),
    report: reportAmong(body),
    reason,
    warnings: outcome === "success" ? warningsIn(body) : undefined,
    ...(outcome === "success" && { error: errorIn(body) }),
    retryAfterMs,
  };
}

/** The report among other values: those of a reply, or of a state. */
export function reportAmong(values: { readonly [Name in keyof JobReport]: unknown }): JobReport {
  const read = Object.entries(REPORT).map(([name, reader]) => [
    name,
    reader(values[name as keyof JobReport]),
  ]);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as JobReport;
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
 * @throws UnreadableStartError if the id is missing
 */
export function readStartReply(reply: Reply): StartReply {
  const jobId = readIdentifier(reply.body["jobId"]);
  // an id that contains a secret would be stored and shown
  if (jobId === undefined || reply.secrets.removeFrom(jobId) !== jobId) {
    throw new UnreadableStartError(
      `${reply.endpoint} answered without a usable "jobId"${lackOf(reply)}: a job may run whose id is not known`,
      UNREAD_REMEDY,
    );
  }
  return readStatus(reply) === "" ? { jobId } : { jobId, job: readExportJob(jobId, reply) };
}

function readStatus({ body: { status }, secrets }: Reply): string {
  // secrets are removed first: in lower case they would not be found
  return typeof status === "string" ? inLowerCase(redact(secrets.removeFrom(status))) : "";
}

/** The error of a reply that has no more than that, to be quoted. */
function quotedError(body: Readonly<Record<string, unknown>>): string {
  const error = errorIn(body);
  return error === undefined ? "" : `, and with the error «${error}»`;
}

/** The service's error text, redacted: also of an object with a `message`. */
function errorIn({ error }: Readonly<Record<string, unknown>>): string | undefined {
  const text = redact(warningText(error), TEXT_LIMIT);
  return text === "" ? undefined : text;
}

/** The remedy for a start whose job has no known id. */
export const UNREAD_REMEDY: string =
  "No run starts another job until `jobId`, `version` or `triggers` change: give the id, which the service's dashboard or support may know, " +
  "or change one of the others to start another job. Check that the base URL is that of the service's API.";

/** How many fields of a reply a message names. */
const NAMED_FIELDS = 5;

/** What the reply to a start has in place of an id. */
function lackOf({ body, hasLocation }: Reply): string {
  const { jobId } = body;
  if (typeof jobId === "number" && Number.isInteger(jobId)) {
    return " (it is a number above 2^53, which programs round: an id of that size must be a text)";
  }
  if (jobId !== undefined && jobId !== null) return " (an id has 1 to 512 visible ASCII characters)";
  const around = Object.keys(body).find((name) => Object.hasOwn(Object(body[name]) as object, "jobId"));
  if (around !== undefined) return ` (it is inside the field ${redact(around, TEXT_LIMIT)}, not beside it)`;
  const names = Object.keys(body)
    .slice(0, NAMED_FIELDS)
    .map((name) => redact(name, TEXT_LIMIT));
  const fields = names.length === 0 ? "no field" : `only ${names.join(", ")}`;
  const location = hasLocation === true ? ", and a Location header, which is not read" : "";
  return ` (it has ${fields}${location}${quotedError(body)})`;
}

/** The site in a reply, if it differs from `domain`. A reply without a site, or with an invalid one, is not compared. */
export function otherSite(domain: string, body: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof body["domain"] !== "string") return undefined;
  const named = normaliseDomain(body["domain"]);
  return "domain" in named && named.domain !== domain ? named.domain : undefined;
}

/** @throws InputError for a reply about the job of another site: nothing of that job may be used */
export function checkSite(domain: string, jobId: string, body: Readonly<Record<string, unknown>>): void {
  const other = otherSite(domain, body);
  if (other === undefined) return;
  throw new InputError(
    `job ${jobId} is an export of ${other}, not of ${domain}`,
    `Give the jobId of an export of ${domain}, or declare the domain ${other}.`,
  );
}
