import { MalformedResponseError } from "./errors";
import type { Reply } from "./transport";

/** The statuses of an agent job, see `spec.md`, States and transitions. */
export type AgentJobStatus = "active" | "completed" | "archived" | "failed";

/** An agent job, see `spec.md`, AgentJob. */
export interface AgentJob {
  /** Unique identifier of the agent job. */
  id: string;
  /**
   * `active`: the agent is processing the instruction. `completed`: it finished successfully; a pull request may have been
   * created, see `prLink`. `archived`: the job has been archived. `failed`: the agent met an unrecoverable error. Any
   * other one that the service says, in lower case, counts as still running.
   */
  status: AgentJobStatus;
  /** The source repository. */
  source: AgentJobSource;
  /** The AI model used for the job. */
  model: string;
  /** URL of the pull request that the agent created. `null` while the job is active, or when no file was changed. */
  prLink: string | null;
  /** When the job was created: ISO 8601, as the service wrote it. */
  createdAt: string;
  /** When the job was archived: ISO 8601, as the service wrote it. */
  archivedAt: string | null;
}

/** Source repository of an agent job, see `spec.md`, AgentJob. */
export interface AgentJobSource {
  /** Full URL of the repository on the repository host. */
  repository: string;
  /** Git branch on which the agent works. */
  ref: string | null;
}

/** Which agent job. */
export interface AgentJobKey {
  /** The project identifier: the dashboard's API keys page shows it. */
  projectId: string;
  /** The agent job's `id`. */
  id: string;
}

/** An agent job as messages name it. */
export function nameOf({ projectId, id }: AgentJobKey): string {
  return `agent job ${id} of project ${projectId}`;
}

const FINAL: readonly string[] = ["completed", "archived", "failed"] satisfies AgentJobStatus[];

/** Whether the job will not change any more (but for being archived). */
export function isFinalAgentJob({ status }: Pick<AgentJob, "status">): boolean {
  return FINAL.includes(status);
}

/** Whether the status is none of `spec.md`: taken for «still running», which may be wrong. */
export function isUnexpectedAgentJob(job: Pick<AgentJob, "status">): boolean {
  return job.status !== "active" && !isFinalAgentJob(job);
}

/** A point in time as RFC 3339 writes it: the format `date-time` of `spec.md`. */
const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/**
 * Reads the reply of the agent-job endpoint: exactly the fields of `spec.md`. A nullable one may be missing.
 *
 * @throws MalformedResponseError that names the first field which is not as `spec.md` says, or when the reply is about
 *   another job
 */
export function readAgentJob(id: string, { endpoint, body }: Reply): AgentJob {
  const fail = (what: string): never => {
    throw new MalformedResponseError(
      `${endpoint} answered ${what}`,
      "Check that the base URL is that of the service; if it is, report this to the service's support.",
    );
  };
  const text = (name: string, value: unknown, isRight?: (text: string) => boolean): string =>
    typeof value === "string" && value.trim() !== "" && (isRight?.(value) ?? true)
      ? value
      : fail(`without a usable "${name}"`);
  const nullable = (name: string, value: unknown, isRight?: (text: string) => boolean): string | null =>
    value === null || value === undefined ? null : text(name, value, isRight);
  const isUrl = (value: string): boolean => URL.canParse(value);
  const isDate = (value: string): boolean => DATE_TIME.test(value) && !Number.isNaN(Date.parse(value));

  if (text("id", body["id"]) !== id) return fail("about another job");
  const source = body["source"];
  if (typeof source !== "object" || source === null) return fail('without a usable "source"');
  const { repository, ref } = source as { repository?: unknown; ref?: unknown };
  return {
    id,
    status: text("status", body["status"]).trim().toLowerCase() as AgentJobStatus,
    source: { repository: text("source.repository", repository), ref: nullable("source.ref", ref) },
    model: text("model", body["model"]),
    prLink: nullable("prLink", body["prLink"], isUrl),
    createdAt: text("createdAt", body["createdAt"], isDate),
    archivedAt: nullable("archivedAt", body["archivedAt"], isDate),
  };
}
