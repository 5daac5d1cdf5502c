import { type AgentJob, type AgentJobStatus, checkAgentJob, moveAgentJob } from "./agentJob.ts";

/** A job to come. It begins as active; with `endsAfterMs` it also ends by itself. */
export interface NewAgentJob {
  id: string;
  /** @default a made-up repository */
  source?: AgentJob["source"];
  /** @default a made-up model */
  model?: string;
  /**
   * Milliseconds after which the agent is done, on the service's clock.
   * @default the job stays active until `transition`
   */
  endsAfterMs?: number;
  /**
   * How the job ends.
   * @default "completed"
   */
  outcome?: Exclude<AgentJobStatus, "active">;
  /**
   * The pull request that it then has.
   * @default none: the agent changed no file
   */
  prLink?: string | null;
}

interface Entry {
  job: AgentJob;
  /** What the job becomes by itself, and when, in milliseconds since 1970. */
  end?: { atMs: number; job: AgentJob };
}

/**
 * The agent jobs of all projects. The API can only read them; whoever runs the service plays the agent and moves them.
 * As with export jobs, nothing waits for the end of a job: each look says what the job is at that moment.
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
    // kept, so that a clock that is set back does not bring the job back to life
    this.#entries.set(key, { job: entry.end.job });
    return entry.end.job;
  }

  /** @throws when the project has that job, or a field cannot be as asked for */
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
   * For tests of a client that need a state at once: puts a job there in any state, in place of one of that id, without
   * the transitions. The rules of the fields hold, and the job that was there keeps its `createdAt`.
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
   * Moves a job on; `prLink` is what a successful agent leaves when it changed a file. The job then no longer ends by
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
