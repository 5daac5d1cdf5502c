export type AgentJobStatus = "active" | "completed" | "archived" | "failed";

/** An agent job as the API shows it. Times are ISO 8601. */
export interface AgentJob {
  readonly id: string;
  readonly status: AgentJobStatus;
  readonly source: { readonly repository: string; readonly ref: string | null };
  readonly model: string;
  readonly prLink: string | null;
  readonly createdAt: string;
  readonly archivedAt: string | null;
}

/**
 * The states that a job can reach from each state. The API description shows what the agent does, but not what archives a job,
 * and from which states. Here the operator of the service archives a job in any state, also an active one: the API tells clients
 * to wait for `archived`, so an active job can end there. An archived job stays archived.
 */
const TRANSITIONS: Readonly<Record<AgentJobStatus, readonly AgentJobStatus[]>> = {
  active: ["completed", "failed", "archived"],
  completed: ["archived"],
  failed: ["archived"],
  archived: [],
};

/**
 * The job after a transition at `timestamp`. Only a job that completes gets a `prLink`; an archived one keeps its own.
 *
 * @throws when there is no such transition, or a field of the job would break a rule
 */
export function moveAgentJob(
  job: AgentJob,
  status: AgentJobStatus,
  { prLink = job.prLink, timestamp }: { prLink?: string | null | undefined; timestamp: string },
): AgentJob {
  const possible = TRANSITIONS[job.status];
  if (!possible.includes(status)) {
    const instead = possible.length > 0 ? `only to ${possible.join(", ")}` : `${job.status} is final`;
    throw new Error(`agent job ${job.id} cannot go from ${job.status} to ${status}: ${instead}`);
  }
  if (prLink !== job.prLink && status !== "completed") {
    throw new Error(`agent job ${job.id} gets a prLink when it completes, not when it becomes ${status}`);
  }
  const archivedAt = status === "archived" ? timestamp : null;
  return checkAgentJob({ ...job, status, prLink, archivedAt });
}

/** @throws when a field breaks a rule of the API description */
export function checkAgentJob(job: AgentJob): AgentJob {
  const { id, status, source, prLink, createdAt, archivedAt } = job;
  const refuse = (what: string) => new Error(`agent job ${id}: ${what}`);
  if (!isUrl(source.repository)) throw refuse(`source.repository must be a URL, not ${source.repository}`);
  if (prLink !== null && !isUrl(prLink)) throw refuse(`prLink must be a URL, not ${prLink}`);
  if (prLink !== null && status === "active") throw refuse("prLink is null while the job is active");
  if (!isDateTime(createdAt)) throw refuse(`createdAt must be an ISO 8601 time, not ${createdAt}`);
  if ((archivedAt !== null) !== (status === "archived")) {
    throw refuse(`archivedAt is filled when the job is archived, and only then; it is ${status}`);
  }
  if (archivedAt !== null && !isDateTime(archivedAt)) {
    throw refuse(`archivedAt must be an ISO 8601 time, not ${archivedAt}`);
  }
  return job;
}

/** With a host, and only of characters that a URI can have: `URL` would also accept spaces and other alphabets. */
function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[\x21-\x7e]+$/i.test(text) && URL.canParse(text);
}

function isDateTime(text: string): boolean {
  return (
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))
  );
}
