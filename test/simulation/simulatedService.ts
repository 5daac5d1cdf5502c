import { scriptedFetch, type ScriptedReply, type SeenRequest } from "./scriptedFetch.ts";
import type { VirtualClock } from "./virtualClock.ts";

/** A job of the simulated service. */
export interface SimulatedJob {
  domain: string;
  startedAtMs: number;
  /** Its result once its time has passed. */
  outcome: "completed" | "failed" | "never";
  /** The service's own `durationMs`, unless it was started with another. */
  durationMs?: number;
  /** How long it is unknown, see `SimulatedService.lagMs`. */
  lagMs?: number;
  reason?: string;
}

/** The export endpoints on a virtual clock: no socket, no real time. Tests add faults before it. */
export class SimulatedService {
  readonly baseUrl = "https://api.example.test";
  readonly key = "svc_simulated";
  readonly jobs = new Map<string, SimulatedJob>();
  durationMs = 60_000;
  /** `undefined`: the service does not report when a link ends. */
  linkLifeMs: number | undefined = 3_600_000;
  /** How long a new job is unknown to the replicas that answer for it. */
  lagMs = 0;
  /** Starts with the same `Idempotency-Key` create one job. */
  knowsIdempotencyKeys = false;
  outcome: SimulatedJob["outcome"] = "completed";
  reason: string | undefined;
  /** Answers in the service's place when it returns something; with `process` the service still processes the request. */
  fault: (request: SeenRequest, number: number, process: () => void) => ScriptedReply | undefined = () =>
    undefined;
  readonly #clock: VirtualClock;
  readonly #scripted;
  readonly #starts = new Map<string, string>();
  #started = 0;
  #links = 0;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
    this.#scripted = scriptedFetch(
      (request, number) =>
        this.fault(request, number, () => void this.#answer(request)) ?? this.#answer(request),
    );
  }

  get fetch(): ReturnType<typeof scriptedFetch>["fetch"] {
    return this.#scripted.fetch;
  }

  /** "POST /v1/static-export/jobs" and the like, in order, without the common prefix. */
  get requests(): string[] {
    return this.#scripted.requests.map(
      ({ method, path }) => `${method} ${path.replace("/v1/static-export", "")}`,
    );
  }

  /** The number of started jobs, deleted ones included. */
  get started(): number {
    return this.#started;
  }

  /** Pages of a completed job: `job-1` has 41, and the others have other numbers. */
  pagesOf(jobId: string): number {
    return 40 + Number(jobId.replace("job-", ""));
  }

  /** The `Idempotency-Key` of each start, in order. */
  get startKeys(): (string | undefined)[] {
    return this.#scripted.requests
      .filter(({ method, path }) => method === "POST" && path.endsWith("/jobs"))
      .map(({ headers }) => headers["idempotency-key"]);
  }

  forgetRequests(): void {
    this.#scripted.requests.length = 0;
  }

  #answer({ method, path, body, headers }: SeenRequest): ScriptedReply {
    const date = new Date(this.#clock.trueNow()).toUTCString();
    const reply = (status: number, content: unknown): ScriptedReply => ({
      status,
      body: content,
      headers: { date },
    });
    if (headers["authorization"] !== `Bearer ${this.key}`) return reply(401, { error: "invalid API key" });
    const [, jobId, bundle] = /^\/v1\/static-export\/jobs(?:\/([^/]+))?(\/bundle)?$/.exec(path) ?? [];
    if (jobId === undefined) {
      const key = headers["idempotency-key"] ?? "";
      const known = this.knowsIdempotencyKeys ? this.#starts.get(key) : undefined;
      if (known !== undefined) return reply(202, { jobId: known });
      const id = `job-${++this.#started}`;
      this.#starts.set(key, id);
      this.jobs.set(id, {
        domain: (body as { domain: string }).domain,
        startedAtMs: this.#clock.monotonic(),
        outcome: this.outcome,
        durationMs: this.durationMs,
        lagMs: this.lagMs,
        ...(this.reason !== undefined && { reason: this.reason }),
      });
      return reply(202, { jobId: id });
    }
    const job = this.jobs.get(jobId);
    if (!job) return reply(404, { error: `no job ${jobId}` });
    const elapsedMs = this.#clock.monotonic() - job.startedAtMs;
    if (elapsedMs < (job.lagMs ?? 0)) return reply(404, { error: `no job ${jobId} yet` });
    const durationMs = job.durationMs ?? this.durationMs;
    const over = elapsedMs >= durationMs && job.outcome !== "never";
    if (bundle === undefined && method === "GET") {
      if (over) return reply(200, { status: job.outcome, pageCount: this.pagesOf(jobId), error: job.reason });
      const progress = Math.min(99, Math.floor((100 * elapsedMs) / durationMs));
      return reply(200, { status: "running", progress, pageCount: Math.floor(progress / 3) });
    }
    if (!over || job.outcome !== "completed") return reply(409, { error: "the job is not completed" });
    return reply(200, {
      bundleUrl: `https://store.example.test/${jobId}.tar.gz?X-Signature=c4n4ry&n=${++this.#links}`,
      ...(this.linkLifeMs !== undefined && {
        expiresAt: new Date(this.#clock.trueNow() + this.linkLifeMs).toISOString(),
      }),
    });
  }
}
