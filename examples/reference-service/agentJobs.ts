export type AgentJobStatus = "active" | "completed" | "archived" | "failed";

/** An agent job as the API shows it. Times are ISO 8601. */
export interface AgentJob {
  id: string;
  status: AgentJobStatus;
  source: { repository: string; ref: string | null };
  model: string;
  prLink: string | null;
  createdAt: string;
  archivedAt: string | null;
}

/** Fields left out get a plain value: an active job without a pull request, created now. */
export type NewAgentJob = Pick<AgentJob, "id"> & Partial<AgentJob>;

/**
 * The agent jobs of all projects. The API can only read them; whoever runs the service plays the agent and moves them.
 */
export class AgentJobs {
  readonly #now: () => number;
  readonly #jobs = new Map<string, AgentJob>();

  constructor(now: () => number) {
    this.#now = now;
  }

  get(projectId: string, id: string): AgentJob | undefined {
    return this.#jobs.get(keyOf(projectId, id));
  }

  /** Creates a job, or replaces it whatever its state. */
  set(projectId: string, job: NewAgentJob): AgentJob {
    const complete: AgentJob = {
      status: "active",
      source: { repository: "https://git.example.com/docs/site", ref: null },
      model: "reference-model",
      prLink: null,
      createdAt: this.#timestamp(),
      archivedAt: null,
      ...job,
    };
    this.#jobs.set(keyOf(projectId, job.id), complete);
    return complete;
  }

  /** Moves a job on; `prLink` is what a successful agent leaves when it changed a file. */
  transition(
    projectId: string,
    id: string,
    status: AgentJobStatus,
    { prLink }: { prLink?: string } = {},
  ): AgentJob {
    const job = this.get(projectId, id);
    if (!job) throw new Error(`there is no agent job ${id} in project ${projectId}`);
    return this.set(projectId, {
      ...job,
      status,
      prLink: prLink ?? job.prLink,
      archivedAt: status === "archived" ? this.#timestamp() : job.archivedAt,
    });
  }

  reset(): void {
    this.#jobs.clear();
  }

  #timestamp(): string {
    return new Date(this.#now()).toISOString();
  }
}

function keyOf(projectId: string, id: string): string {
  return JSON.stringify([projectId, id]);
}
