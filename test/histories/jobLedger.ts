import { RECORD_LIFE_MS } from "../../provider/resource/resumeRecords.ts";
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

/** Records for every job what it was started for, and whether it may still be used. */
export class JobLedger {
  /** The content for which each job was started or adopted. */
  readonly startedFor = new Map<string, string>();
  /** Jobs whose failure was read by an `up` that was not killed. A refresh leaves the report of the reason to the next `up`. */
  readonly knownToHaveFailed = new Set<string>();
  /** Finished jobs: exported and stored, or deleted with their resource. */
  readonly spent = new Set<string>();
  /** The job that must be used for a content, and when its id became known, by the machine's clock. */
  readonly #jobOf = new Map<string, { jobId: string; knownAtMs: number; recorded: boolean }>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** The job that the next successful `up` with these inputs must end with, if there is one. */
  precious(inputs: StaticExportInputs): string | undefined {
    const job = this.#jobOf.get(contentOf(inputs));
    if (inputs.jobId !== undefined || !job || !this.#world.service.jobs.has(job.jobId)) return undefined;
    if (this.#isInState(job.jobId)) return job.jobId;
    const isRecorded = job.recorded && this.#world.clock.now() - job.knownAtMs <= SURE_LIFE_MS;
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
    // a run that continued one job has given up those of killed runs for other content
    if (result === "failed" && requests.some((request) => request.startsWith("GET"))) {
      this.#forget((jobId) => !this.#isInState(jobId));
    }
    for (const { jobId, answered } of process.started) {
      this.startedFor.set(jobId, content);
      if (!answered || process.toldToHaveFailed.has(jobId)) continue;
      this.#jobOf.set(content, { jobId, knownAtMs: clock.now(), recorded: !records.diskIsFull });
    }
    const state = engine.resource?.state;
    if (result !== "success" || !state) return;
    const { jobId } = state.outputs;
    if (isAdoption) this.startedFor.set(jobId, content);
    if (step.op !== "same" && report.trouble.end === "tidy") this.spent.add(jobId);
    // a finished export ends all jobs that were started for other content; a renewed link does not
    const isExport = requests.length > 0 && step.decision?.code !== "RENEW_WINDOW";
    this.#forget((known) => isExport || known === jobId);
    this.#jobOf.set(content, { jobId, knownAtMs: clock.now(), recorded: false });
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
