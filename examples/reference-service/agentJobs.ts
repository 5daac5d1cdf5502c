import { type AgentJob, type AgentJobStatus, checkAgentJob, moveAgentJob } from "./agentJob.ts";

/** A job to create. It is active at first; with `endsAfterMs` it also ends by itself. */
export interface NewAgentJob {
  id: string;
  /** @default a made-up repository */
  source?: AgentJob["source"];
  /** @default a made-up model */
  model?: string;
  /**
   * Milliseconds after which the agent finishes, on the service's clock.
   * @default the job stays active until `transition`
   */
  endsAfterMs?: number;
  /**
   * How the job ends.
   * @default "completed"
   */
  outcome?: Exclude<AgentJobStatus, "active">;
  /**
   * The pull request of the completed job.
   * @default none: the agent changed no file
   */
  prLink?: string | null;
}

interface Entry {
  job: AgentJob;
  /** The state that the job reaches by itself, and when, in milliseconds since 1970. */
  end?: { atMs: number; job: AgentJob };
}

/**
 * The agent jobs of all projects. The API can only read them; the operator of the service acts as the agent and changes their
 * states. As with export jobs, nothing waits for the end of a job: each read computes the state at that moment.
 */
export class AgentJobs {
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();

  constructor(now: () => number) {
    this.#now = now;
  }

  get(projectId: string, id: string): AgentJob | undefined {
    const key = keyOf(projectId, id);
    const entry = this.#entries.get(key);
    if (!entry?.end || this.#now() < entry.end.atMs) return entry?.job;
    // kept, so that setting the clock back does not make the job active again
    this.#entries.set(key, { job: entry.end.job });
    return entry.end.job;
  }

  /** @throws when the project has that job already, or a field is invalid */
  create(projectId: string, { endsAfterMs, outcome, prLink, ...fields }: NewAgentJob): AgentJob {
    if (this.get(projectId, fields.id)) {
      throw new Error(`there is an agent job ${fields.id} in project ${projectId} already`);
    }
    const nowMs = this.#now();
    const job = newAgentJob(fields, timestampOf(nowMs));
    if (endsAfterMs === undefined) {
      if (outcome !== undefined || (prLink ?? null) !== null) {
        throw new Error(
          `agent job ${job.id}: outcome and prLink are those of an end, which needs endsAfterMs`,
        );
      }
      this.#entries.set(keyOf(projectId, job.id), { job });
      return job;
    }
    if (!Number.isFinite(endsAfterMs) || endsAfterMs < 0) {
      throw new Error(
        `agent job ${job.id}: endsAfterMs must be a number of milliseconds, not ${endsAfterMs}`,
      );
    }
    const atMs = nowMs + endsAfterMs;
    const ended = moveAgentJob(job, outcome ?? "completed", { prLink, timestamp: timestampOf(atMs) });
    this.#entries.set(keyOf(projectId, job.id), { job, end: { atMs, job: ended } });
    return job;
  }

  /**
   * For tests of a client that need a state at once: stores a job in any state, in place of the job of that id, without
   * transitions. The rules of the fields hold, and an existing job keeps its `createdAt`.
   */
  set(projectId: string, fields: Pick<AgentJob, "id"> & Partial<AgentJob>): AgentJob {
    const timestamp = timestampOf(this.#now());
    const { createdAt = fields.createdAt ?? timestamp } = this.get(projectId, fields.id) ?? {};
    if (fields.createdAt !== undefined && fields.createdAt !== createdAt) {
      throw new Error(`agent job ${fields.id} was created at ${createdAt}: that never changes`);
    }
    const archivedAt = fields.status === "archived" ? timestamp : null;
    const job = newAgentJob({ archivedAt, ...fields }, createdAt);
    this.#entries.set(keyOf(projectId, job.id), { job });
    return job;
  }

  /**
   * Changes a job's state; `prLink` is what a successful agent leaves when it changed a file. After that the job does not end by
   * itself.
   *
   * @throws when there is no such job or no such transition; the job stays as it was
   */
  transition(
    projectId: string,
    id: string,
    status: AgentJobStatus,
    { prLink }: { prLink?: string | null } = {},
  ): AgentJob {
    const job = this.get(projectId, id);
    if (!job) throw new Error(`there is no agent job ${id} in project ${projectId}`);
    const moved = moveAgentJob(job, status, { prLink, timestamp: timestampOf(this.#now()) });
    this.#entries.set(keyOf(projectId, id), { job: moved });
    return moved;
  }

  reset(): void {
    this.#entries.clear();
  }
}

function newAgentJob(fields: Pick<AgentJob, "id"> & Partial<AgentJob>, createdAt: string): AgentJob {
  return checkAgentJob({
    status: "active",
    source: { repository: "https://git.example.com/docs/site", ref: null },
    model: "reference-model",
    prLink: null,
    archivedAt: null,
    ...fields,
    createdAt,
  });
}

function timestampOf(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

function keyOf(projectId: string, id: string): string {
  return JSON.stringify([projectId, id]);
}
