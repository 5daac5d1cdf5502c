import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { packArchive } from "./site/archive.ts";
import { type RenderedSite, renderSite } from "./site/renderSite.ts";

export interface ExportJobsOptions {
  /** Folder of the service's own in which jobs keep their files. */
  folder: string;
  /** Milliseconds that a job takes at least. */
  jobDurationMs: number;
  /** Milliseconds since 1970. */
  now: () => number;
  newId: () => string;
}

/** A job as the status endpoint shows it. */
export interface ExportJobStatus {
  jobId: string;
  domain: string;
  status: "queued" | "running" | "completed" | "failed";
  /** Percent, a whole number. */
  progress: number;
  /** Pages rendered so far. */
  pageCount: number;
  /** Why the job failed. */
  error?: string;
  /** Broken links and the like in the source; only of a completed job. */
  warnings?: readonly string[];
}

export interface Archive {
  path: string;
  sha256: string;
}

interface ExportJob {
  readonly id: string;
  readonly domain: string;
  readonly source: string;
  readonly folder: string;
  /** When the job left the queue, in milliseconds since 1970. */
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
 * A job shows as completed when it is rendered and its minimum duration has passed on the service's clock. Nothing waits
 * for that time: each look at a job says how far it is at that moment, so that a test only has to set the clock.
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

  /** @param idempotencyKey names this start, see `startedBy` */
  start(domain: string, source: string, idempotencyKey?: string): string {
    const id = this.#options.newId();
    const folder = join(this.#options.folder, id);
    const job: ExportJob = { id, domain, source, folder, renderedPages: 0, totalPages: 0 };
    this.#jobs.set(id, job);
    if (idempotencyKey !== undefined) this.#starts.set(idempotencyKey, id);
    const { signal } = this.#stop;
    this.#queue = this.#queue.then(() => this.#run(job, signal));
    return id;
  }

  /** The job that a start with this key began. */
  startedBy(idempotencyKey: string): string | undefined {
    return this.#starts.get(idempotencyKey);
  }

  domainOf(jobId: string): string | undefined {
    return this.#jobs.get(jobId)?.domain;
  }

  status(jobId: string): ExportJobStatus | undefined {
    const job = this.#jobs.get(jobId);
    if (!job) return undefined;
    const { id, domain, site, error, totalPages } = job;
    const share = this.#shareDone(job);
    const about = { jobId: id, domain };
    if (error !== undefined) {
      return { ...about, status: "failed", progress: percent(share), pageCount: job.renderedPages, error };
    }
    if (site && share === 1) {
      const { pageCount, warnings } = site;
      return { ...about, status: "completed", progress: 100, pageCount, warnings };
    }
    const status = job.startedAtMs === undefined ? "queued" : "running";
    return { ...about, status, progress: percent(share), pageCount: Math.floor(share * totalPages) };
  }

  /** Packs a completed job's site, once. The job's files stay, so that any number of links can be made for it. */
  async archive(jobId: string): Promise<Archive> {
    const job = this.#jobs.get(jobId);
    const site = job?.site;
    if (!job || !site) throw new Error(`job ${jobId} is not completed`);
    job.archive ??= (async () => {
      const path = `${job.folder}.tar.gz`;
      return { path, sha256: await packArchive(job.folder, site.files, path) };
    })();
    return job.archive;
  }

  /** The archive of a job, if it has been packed. */
  packedArchive(jobId: string): Promise<Archive> | undefined {
    return this.#jobs.get(jobId)?.archive;
  }

  /** Stops what runs, forgets all jobs and removes their files. */
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

  /** Never rejects: what goes wrong is the job's result. */
  async #run(job: ExportJob, signal: AbortSignal): Promise<void> {
    try {
      signal.throwIfAborted();
      job.startedAtMs = this.#options.now();
      await mkdir(job.folder);
      job.site = await renderSite({
        source: job.source,
        target: job.folder,
        name: job.domain,
        signal,
        onProgress: (rendered, total) => {
          job.renderedPages = rendered;
          job.totalPages = total;
        },
      });
    } catch (error) {
      job.error = `the export of ${job.domain} failed: ${describe(error)}`;
    }
  }

  /** From 0 to 1: as much as both the work and the minimum duration allow. */
  #shareDone({ startedAtMs, renderedPages, totalPages, site }: ExportJob): number {
    if (startedAtMs === undefined) return 0;
    const { jobDurationMs, now } = this.#options;
    const ofTime = jobDurationMs <= 0 ? 1 : (now() - startedAtMs) / jobDurationMs;
    const ofWork = site ? 1 : totalPages === 0 ? 0 : renderedPages / totalPages;
    return Math.max(0, Math.min(1, ofTime, ofWork));
  }
}

function percent(share: number): number {
  return Math.floor(share * 100);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? error.message : `the source cannot be read (${code})`;
}
