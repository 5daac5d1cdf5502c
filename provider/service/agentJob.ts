import { isReadDifferently } from "../base/http/address";
import { malformed } from "../base/http/reply";
import type { Reply } from "../base/http/transport";
import { isPlain, redact } from "../base/runtime/messages/plainText";
import type { JobOutcome } from "./polling/jobWait";
import { endInWords, inLowerCase } from "./statusWords";

/** The statuses of an agent job: `active`, or one of three final ones. */
export type AgentJobStatus = "active" | "completed" | "archived" | "failed";

/** The job of an agent that works on a repository and may open a pull request. */
export interface AgentJob {
  /** Unique identifier of the agent job. */
  id: string;
  /**
   * `active`: the agent is processing the instruction. `completed`: it finished successfully; a pull request may have been
   * created, see `prLink`. `archived`: the job has been archived. `failed`: the agent met an unrecoverable error. Any
   * other status that the service reports, in lower case, counts by its last word (`succeeded`, `canceled`), otherwise as still running.
   */
  status: AgentJobStatus;
  /** The source repository. */
  source: AgentJobSource;
  /** The AI model used for the job. Empty if the service does not report it. */
  model: string;
  /** URL of the pull request that the agent created. `null` while the job is active, or when no file was changed. */
  prLink: string | null;
  /** When the job was created: ISO 8601, as the service wrote it. Empty if the service does not report it. */
  createdAt: string;
  /** When the job was archived: ISO 8601, as the service wrote it. `null` if the service does not report it. */
  archivedAt: string | null;
}

/** Source repository of an agent job. */
export interface AgentJobSource {
  /** Full URL of the repository on the repository host. Empty if the service does not report it. */
  repository: string;
  /** Git branch on which the agent works. */
  ref: string | null;
}

/** Identifies an agent job. */
export interface AgentJobKey {
  readonly projectId: string;
  readonly jobId: string;
}

/** An agent job as messages name it. */
export function agentJobName({ projectId, jobId }: AgentJobKey): string {
  return `agent job ${jobId} of project ${projectId}`;
}

const OUTCOMES: Readonly<Record<AgentJobStatus, JobOutcome>> = {
  active: "pending",
  completed: "success",
  archived: "success",
  failed: "failure",
};

/** The outcome of a status, see {@link endInWords}. Any other unknown status counts as still running, which may be wrong. */
export function agentJobOutcome(status: string): JobOutcome {
  return isKnownStatus(status) ? OUTCOMES[status as AgentJobStatus] : (endInWords(status) ?? "pending");
}

/** Whether a status is one that the API names. */
export function isKnownStatus(status: string): boolean {
  return Object.hasOwn(OUTCOMES, status);
}

/** A point in time as RFC 3339 writes it: the format of all dates of an agent job. */
const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,12})?([Zz]|[+-]\d\d:\d\d)$/;
/** Longest address that is accepted, in characters. */
const MAX_LINK_LENGTH = 2_048;
/** Schemes of a repository's address. `undefined`: the address is not a URL. */
const REPOSITORY_SCHEMES: readonly (string | undefined)[] = ["https:", "http:", "ssh:", "git:", undefined];

/** What a reply says about an agent job. */
export interface ReadAgentJob {
  readonly job: AgentJob;
  /** Names of required fields that it lacks. */
  readonly missing: readonly string[];
  readonly retryAfterMs: number | undefined;
}

/**
 * Reads the known fields of an agent-job reply, as texts that can be stored and shown. Nullable fields may be missing.
 * `source`, `model` and `createdAt` may be missing, too, and are empty then: nothing depends on them.
 *
 * @throws MalformedResponseError that names the first unusable field, or when the reply is about another job
 */
export function readAgentJob(id: string, { endpoint, body, secrets, retryAfterMs }: Reply): ReadAgentJob {
  const fail = (what: string): never => {
    throw malformed(endpoint, what);
  };
  const isNone = (value: unknown): boolean => value === null || value === undefined;
  /** Names of required fields that are missing. */
  const missing: string[] = [];
  /** @param clean converts the value into a text that can be stored and shown; returns "" if that is impossible */
  const text = (name: string, value: unknown, clean: Clean = redact): string =>
    (typeof value === "string" && clean(secrets.removeFrom(value))) || fail(`without a usable "${name}"`);
  const nullable = (name: string, value: unknown, clean?: Clean): string | null =>
    isNone(value) ? null : text(name, value, clean);
  const expected = (name: string, value: unknown, clean?: Clean): string => {
    if (!isNone(value)) return text(name, value, clean);
    missing.push(name);
    return "";
  };

  if (body["id"] !== id) {
    return fail(typeof body["id"] === "string" ? "about another job" : 'without a usable "id"');
  }
  const { source } = body;
  if (!isNone(source) && typeof source !== "object") return fail('without a usable "source"');
  const { repository, ref } = (source ?? {}) as { repository?: unknown; ref?: unknown };
  const job: AgentJob = {
    id,
    status: inLowerCase(text("status", body["status"])) as AgentJobStatus,
    source: {
      repository: expected(isNone(source) ? "source" : "source.repository", repository, repositoryAddress),
      ref: nullable("source.ref", ref),
    },
    model: expected("model", body["model"]),
    prLink: nullable("prLink", body["prLink"], webLink),
    createdAt: expected("createdAt", body["createdAt"], date),
    archivedAt: nullable("archivedAt", body["archivedAt"], date),
  };
  return { job, missing, retryAfterMs };
}

/** The warning about missing required fields. */
export function missingFields(key: AgentJobKey, missing: readonly string[]): string {
  return `${agentJobName(key)}: the service does not send ${missing.join(", ")}: empty in the outputs`;
}

type Clean = (value: string) => string;

/** A web address that is safe to click: every program reads it in the same way. */
function webLink(value: string): string {
  const url = URL.parse(value);
  const isSafe =
    value.length <= MAX_LINK_LENGTH &&
    !/\s/.test(value) &&
    isPlain(value) &&
    !isReadDifferently(value) &&
    (url?.protocol === "https:" || url?.protocol === "http:") &&
    url.username === "" &&
    url.password === "";
  return isSafe ? value : "";
}

function repositoryAddress(value: string): string {
  const isSafe = REPOSITORY_SCHEMES.includes(URL.parse(value)?.protocol) && !isReadDifferently(value);
  return isSafe ? redact(value) : "";
}

function date(value: string): string {
  return DATE_TIME.test(value) && !Number.isNaN(Date.parse(value)) ? value : "";
}
