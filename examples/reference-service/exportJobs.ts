import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { packArchive } from "./site/archive.ts";
import { type RenderedSite, renderSite } from "./site/renderSite.ts";

export interface ExportJobsOptions {
  /** The service's own folder in which jobs keep their files. */
  folder: string;
  /** The least duration of a job in milliseconds; called for each job. */
  jobDurationMs: () => number;
  /** Milliseconds since 1970. */
  now: () => number;
  newId: () => string;
}

/** A job as the service shows it. Times are ISO 8601. */
export interface ExportJobStatus {
  jobId: string;
  domain: string;
  status: "queued" | "running" | "completed" | "failed";
  /** Percent, a whole number. */
  progress: number;
  /** Pages rendered so far. */
  pageCount: number;
  createdAt: string;
  /** When the job last advanced. */
  updatedAt: string;
  /** Why the job failed. */
  error?: string;
  /** Broken links and the like in the source; only of a completed job. */
  warnings?: readonly string[];
}

export interface Archive {
  path: string;
  sha256: string;
  /** Bytes. */
  size: number;
}

/** The fields of a start request. */
export interface ExportRequest {
  domain: string;
  /** Folder of Markdown. */
  source: string;
  /** Pages to export; all when undefined. */
  paths?: readonly string[] | undefined;
}

interface ExportJob {
  readonly id: string;
  readonly request: ExportRequest;
  readonly folder: string;
  /** Milliseconds since 1970, as all times here. */
  readonly createdAtMs: number;
  /** When the work last advanced. */
  workedAtMs: number;
  /** The least duration in milliseconds, from `startedAtMs` on. */
  readonly durationMs: number;
  /** When the job left the queue. */
  startedAtMs?: number;
  renderedPages: number;
  totalPages: number;
  site?: RenderedSite;
  error?: string;
  archive?: Promise<Archive>;
}

/**
 * The export jobs, rendered one after the other.
 *
 * A job is shown as completed when it is rendered and its least duration has passed on the service's clock. Nothing waits for
 * that time: each read of a job computes its progress at that moment, so that a test only has to set the clock.
 */
export class ExportJobs {
  readonly #options: ExportJobsOptions;
  readonly #jobs = new Map<string, ExportJob>();
  readonly #starts = new Map<string, string>();
  #queue: Promise<void> = Promise.resolve();
  #stop = new AbortController();

  constructor(options: ExportJobsOptions) {
    this.#options = options;
  }

  /** @param idempotencyKey identifies this start, see `startedBy` */
  start(request: ExportRequest, idempotencyKey?: string): ExportJobStatus {
    const id = this.#options.newId();
    const folder = join(this.#options.folder, id);
    const createdAtMs = this.#options.now();
    const job: ExportJob = {
      id,
      request,
      folder,
      createdAtMs,
      durationMs: this.#options.jobDurationMs(),
      workedAtMs: createdAtMs,
      renderedPages: 0,
      totalPages: 0,
    };
    this.#jobs.set(id, job);
    if (idempotencyKey !== undefined) this.#starts.set(idempotencyKey, id);
    const { signal } = this.#stop;
    this.#queue = this.#queue.then(() => this.#run(job, signal));
    return this.#statusOf(job);
  }

  /** The job that a start with this key created, and the fields of that start. */
  startedBy(idempotencyKey: string): { job: ExportJobStatus; request: ExportRequest } | undefined {
    const job = this.#jobs.get(this.#starts.get(idempotencyKey) ?? "");
    return job && { job: this.#statusOf(job), request: job.request };
  }

  domainOf(jobId: string): string | undefined {
    return this.#jobs.get(jobId)?.request.domain;
  }

  status(jobId: string): ExportJobStatus | undefined {
    const job = this.#jobs.get(jobId);
    return job && this.#statusOf(job);
  }

  #statusOf(job: ExportJob): ExportJobStatus {
    const { id, request, site, error, totalPages, createdAtMs, workedAtMs, startedAtMs } = job;
    const { share, advancedAtMs } = this.#done(job);
    const about = {
      jobId: id,
      domain: request.domain,
      progress: percent(share),
      createdAt: timestampOf(createdAtMs),
      updatedAt: timestampOf(advancedAtMs),
    };
    if (error !== undefined) {
      const updatedAt = timestampOf(workedAtMs);
      return { ...about, updatedAt, status: "failed", pageCount: job.renderedPages, error };
    }
    if (site && share === 1) {
      return { ...about, status: "completed", pageCount: site.pageCount, warnings: site.warnings };
    }
    const status = startedAtMs === undefined ? "queued" : "running";
    return { ...about, status, pageCount: Math.floor(share * totalPages) };
  }

  /**
   * Packs a completed job's site once; again after a failure. The job's files stay, so that any number of links can be created
   * for it.
   */
  async archive(jobId: string): Promise<Archive> {
    const job = this.#jobs.get(jobId);
    const site = job?.site;
    if (!job || !site) throw new Error(`job ${jobId} is not completed`);
    job.archive ??= (async () => {
      const path = `${job.folder}.tar.gz`;
      try {
        const sha256 = await packArchive(job.folder, site.files, path);
        return { path, sha256, size: (await stat(path)).size };
      } catch (error) {
        delete job.archive;
        throw error;
      }
    })();
    return job.archive;
  }

  /** The archive of a job, once it has been packed. */
  packedArchive(jobId: string): Promise<Archive> | undefined {
    return this.#jobs.get(jobId)?.archive;
  }

  /** Stops all work, forgets all jobs and removes their files. */
  async reset(): Promise<void> {
    this.#stop.abort(new Error("the service was reset"));
    this.#stop = new AbortController();
    await this.#queue;
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    this.#starts.clear();
    for (const { archive, folder } of jobs) {
      await archive?.catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
      await rm(`${folder}.tar.gz`, { force: true });
    }
  }

  /** Never rejects: a failure becomes the job's result. */
  async #run(job: ExportJob, signal: AbortSignal): Promise<void> {
    try {
      signal.throwIfAborted();
      job.startedAtMs = job.workedAtMs = this.#options.now();
      await mkdir(job.folder);
      job.site = await renderSite({
        source: job.request.source,
        target: job.folder,
        name: job.request.domain,
        paths: job.request.paths,
        signal,
        onProgress: (rendered, total) => {
          job.workedAtMs = this.#options.now();
          job.renderedPages = rendered;
          job.totalPages = total;
        },
      });
    } catch (error) {
      job.error = `the export of ${job.request.domain} failed: ${describe(error)}`;
    }
    job.workedAtMs = this.#options.now();
  }

  /** From 0 to 1: the smaller of the shares of the work and of the least duration; and since when. */
  #done(job: ExportJob): { share: number; advancedAtMs: number } {
    const { startedAtMs, durationMs, workedAtMs, renderedPages, totalPages, site } = job;
    if (startedAtMs === undefined) return { share: 0, advancedAtMs: workedAtMs };
    const ofWork = site ? 1 : totalPages === 0 ? 0 : renderedPages / totalPages;
    const elapsedMs = Math.max(0, Math.min(durationMs, this.#options.now() - startedAtMs));
    const ofTime = durationMs <= 0 ? 1 : elapsedMs / durationMs;
    if (ofWork < ofTime) return { share: ofWork, advancedAtMs: workedAtMs };
    return { share: ofTime, advancedAtMs: Math.max(workedAtMs, startedAtMs + elapsedMs) };
  }
}

function timestampOf(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

function percent(share: number): number {
  return Math.floor(share * 100);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? error.message : `the source cannot be read (${code})`;
}
