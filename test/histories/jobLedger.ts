import { RECORD_LIFE_MS, RETURNED_LIFE_MS } from "../../provider/resource/resumeRecords.ts";
import type { StaticExportInputs } from "../../provider/staticExport/inputs.ts";
import type { Report, World } from "./world.ts";

/** The requested content: the site and its content, without the way of export. */
export function contentOf({ domain, baseUrl, version, triggers }: StaticExportInputs): string {
  return JSON.stringify([domain, baseUrl ?? null, version ?? null, triggers ?? []]);
}

function isSameSite(content: string, inputs: StaticExportInputs): boolean {
  const site = (text: string): string => JSON.stringify((JSON.parse(text) as unknown[]).slice(0, 2));
  return site(content) === site(contentOf(inputs));
}

/** How long a record is certainly valid, in milliseconds: its real age is slightly above its age known here. */
const SURE_LIFE_MS = RECORD_LIFE_MS - 3_600_000;
/** The same for a record whose state was returned to the engine, and not stored. */
const SURE_RETURNED_LIFE_MS = RETURNED_LIFE_MS - 60_000;

/** Records for every job what it was started for, and whether it may still be used. */
export class JobLedger {
  /** The content for which each job was started or adopted. */
  readonly startedFor = new Map<string, string>();
  /** Jobs whose failure was read by an `up` that was not killed. A refresh leaves the report of the reason to the next `up`. */
  readonly knownToHaveFailed = new Set<string>();
  /** Finished jobs: exported and stored, or deleted with their resource. */
  readonly spent = new Set<string>();
  /** The job that must be used for a content, and until when its record is valid, by the machine's clock. */
  readonly #jobOf = new Map<string, { jobId: string; untilMs: number; recorded: boolean }>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** The job that the next successful `up` with these inputs must end with, if there is one. */
  precious(inputs: StaticExportInputs): string | undefined {
    const job = this.#jobOf.get(contentOf(inputs));
    if (inputs.jobId !== undefined || !job || !this.#world.service.jobs.has(job.jobId)) return undefined;
    if (this.#isInState(job.jobId)) return job.jobId;
    const isRecorded = job.recorded && this.#world.clock.now() <= job.untilMs;
    return isRecorded ? job.jobId : undefined;
  }

  note(report: Report): void {
    const { kind, step, process, result, requests, before } = report;
    const { engine, clock, records } = this.#world;
    for (const jobId of process.toldToHaveFailed) {
      this.#forget((known) => known === jobId);
      if (kind === "up" && result !== "killed") this.knownToHaveFailed.add(jobId);
    }
    if (kind === "destroy") {
      this.#jobOf.clear();
      for (const [jobId, content] of this.startedFor) {
        if (before && isSameSite(content, before.inputs)) this.spent.add(jobId);
      }
    }
    if (kind === "refresh" && before && !engine.resource) this.#forget(() => true);
    if (!step) return;
    const content = contentOf(step.inputs);
    const isAdoption = step.inputs.jobId !== undefined;
    if (process.started.length > 0 || (isAdoption && step.op !== "same")) {
      const { jobId: linked, bundleUrl } = engine.resource?.state.outputs ?? {};
      this.#forget((jobId) => bundleUrl === undefined || jobId !== linked);
    }
    for (const { jobId, answered } of process.started) {
      this.startedFor.set(jobId, content);
      if (!answered || process.toldToHaveFailed.has(jobId)) continue;
      this.#jobOf.set(content, { jobId, untilMs: clock.now() + SURE_LIFE_MS, recorded: !records.diskIsFull });
    }
    if (report.trouble.end === "not saved" && requests.length > 0) {
      const own = this.#jobOf.get(content);
      // a finished export ends all jobs that were started for other content
      this.#forget((jobId) => jobId !== own?.jobId && !this.#isInState(jobId));
      const untilMs = clock.now() + SURE_RETURNED_LIFE_MS;
      if (own) this.#jobOf.set(content, { ...own, untilMs: Math.min(own.untilMs, untilMs) });
    }
    const state = engine.resource?.state;
    if (result !== "success" || !state) return;
    const { jobId } = state.outputs;
    if (isAdoption) this.startedFor.set(jobId, content);
    if (step.op !== "same" && report.trouble.end === "tidy") this.spent.add(jobId);
    // a finished export ends all jobs that were started for other content; a renewed link does not
    const isExport = requests.length > 0 && step.decision?.code !== "RENEW_WINDOW";
    this.#forget((known) => isExport || known === jobId);
    this.#jobOf.set(content, { jobId, untilMs: 0, recorded: false });
  }

  #isInState(jobId: string): boolean {
    const { outputs, bookkeeping } = this.#world.engine.resource?.state ?? {};
    const isLinked = outputs?.bundleUrl !== undefined && outputs.jobId === jobId;
    return isLinked || bookkeeping?.unfinished?.jobId === jobId;
  }

  #forget(unwanted: (jobId: string) => boolean): void {
    for (const [content, { jobId }] of this.#jobOf) if (unwanted(jobId)) this.#jobOf.delete(content);
  }
}
