import { decisionLine } from "../resource/decision";
import { type ServiceContext, UnfinishedError } from "../resource/lifeCycle";
import { saltFor } from "../resource/resumeRecords";
import { clockErrorOf, machineOf } from "../runtime/time/clock";
import { ExportFailedError, InputError, NotFoundError, ResponseError } from "../runtime/messages/errors";
import { explained } from "../runtime/messages/explainedError";
import { type CheckedInputs, intentOf } from "./inputs";
import { forgetGoneJob, type Resumption, resumptionOf } from "./resumption";
import {
  finishedState,
  type JobPhase,
  type StaticExportState,
  unfinishedState,
  warnOfShortLife,
  wantedSame,
} from "./state";
import { type FinishedExport, runExport } from "./workflow";

/**
 * Exports the site. It continues the planned job, otherwise the job of a killed run, otherwise it starts a new job. After any
 * failure, the next run finds the started job.
 *
 * @param before the state, if there is one
 * @param planned the job to continue, if the plan names one
 * @throws UnfinishedError if there is progress to store; otherwise an Error, and the state stays unchanged
 */
export function exportSite(
  context: ServiceContext,
  inputs: CheckedInputs,
  before: StaticExportState | undefined,
  planned: JobPhase | undefined,
): Promise<StaticExportState> {
  return new SiteExport(context, inputs, before).run(planned);
}

class SiteExport {
  readonly #context: ServiceContext;
  readonly #inputs: CheckedInputs;
  readonly #before: StaticExportState | undefined;
  readonly #resumption: Resumption;
  /** The job of this export, as soon as it is known. */
  #job: JobPhase | undefined;

  constructor(context: ServiceContext, inputs: CheckedInputs, before: StaticExportState | undefined) {
    this.#context = context;
    this.#inputs = inputs;
    this.#before = before;
    this.#resumption = resumptionOf(context, inputs);
  }

  async run(planned: JobPhase | undefined): Promise<StaticExportState> {
    // an earlier run may have been interrupted just after the start
    const mayBeNew = planned?.jobId === this.#before?.bookkeeping.unfinished?.jobId;
    try {
      const done =
        (planned && (await this.#continue(planned, mayBeNew))) ??
        (await this.#continueKilledRun()) ??
        (await this.#startNew());
      return this.#finish(done);
    } catch (error) {
      return this.#fail(error);
    }
  }

  async #continueKilledRun(): Promise<FinishedExport | undefined> {
    const jobId = this.#resumption.find();
    const stored = this.#before?.outputs;
    // a run that was killed before it removed its record has stored this job: it is the old content
    const isStored = stored?.bundleUrl !== undefined && stored.jobId === jobId;
    if (jobId === undefined || isStored) return undefined;
    const text = `job ${jobId} of a killed run is continued; no job is started`;
    this.#context.reporter.info(decisionLine({ code: "RESUMED", text }));
    this.#context.tracer.note({ "docs_hosting.decision": "RESUMED" });
    return this.#continue({ kind: "running", jobId }, true);
  }

  #startNew(): Promise<FinishedExport> {
    const idempotencyKey = this.#resumption.beginStart();
    const onJob = (job: JobPhase): void => {
      const isNew = !this.#job;
      this.#job = job;
      if (isNew) this.#resumption.save(job.jobId);
    };
    return runExport({ kind: "start", idempotencyKey }, this.#inputs, true, { ...this.#context, onJob });
  }

  /** @returns `undefined` if the service no longer has the job */
  async #continue(job: JobPhase, mayBeNew: boolean): Promise<FinishedExport | undefined> {
    const onJob = (phase: JobPhase): void => {
      this.#job = phase;
    };
    try {
      return await runExport(job, this.#inputs, mayBeNew, { ...this.#context, onJob });
    } catch (error) {
      // another job never replaces a job that the user names
      if (!(error instanceof NotFoundError) || this.#inputs.jobId !== undefined) throw error;
      forgetGoneJob(this.#context, this.#inputs, job.jobId);
      this.#job = undefined;
      return undefined;
    }
  }

  #finish(done: FinishedExport): StaticExportState {
    const stored = this.#before?.outputs;
    // a refresh may have stored the report of an unfinished job
    const counted = stored?.status === "completed" && stored.jobId === done.jobId;
    this.#resumption.handOver();
    const clockError = clockErrorOf(machineOf(this.#context), this.#context.client.clockAheadMs);
    const finished = finishedState(this.#inputs, done, clockError, counted ? stored : undefined);
    warnOfShortLife(this.#context, this.#inputs, finished);
    return finished;
  }

  #fail(error: unknown): never {
    if (isFinal(error)) this.#resumption.forget();
    else if (!this.#job && isRefusal(error)) this.#resumption.startRefused();
    // a killed run may have recorded a newer job than the one in the state
    else if (this.#job && this.#resumption.find() === this.#job.jobId) this.#resumption.handOver();
    throw this.#failure(error);
  }

  /** Decides what the state stores of a failed export, and reports it. */
  #failure(error: unknown): Error {
    const { domain } = this.#inputs;
    const [before, job] = [this.#before, this.#job];
    const oldLink =
      before?.outputs.bundleUrl === undefined
        ? ""
        : ` The link to job ${before.outputs.jobId} stays in place.`;
    if (!job) {
      const begun = this.#context.client.mayHaveStarted
        ? "No job is known to have been started."
        : "No job was started.";
      return explained(error, domain, `${begun}${oldLink}`);
    }
    if (!isFinal(error)) {
      const kept = `Nothing is lost: job ${job.jobId} keeps running at the service, and the next \`pulumi up\` continues it.${oldLink}`;
      return this.#unfinished(explained(error, domain, kept), job);
    }
    const failure = explained(error, domain, oldLink.trim());
    const unfinished = before?.bookkeeping.unfinished;
    // the state must drop a job that is over, or every later run would continue it
    const isRemembered = wantedSame(unfinished, this.#inputs) || unfinished?.jobId === job.jobId;
    return isRemembered ? this.#unfinished(failure, { kind: "lost" }) : failure;
  }

  #unfinished(failure: Error, phase: JobPhase | { kind: "lost" }): UnfinishedError<StaticExportState> {
    const salt = saltFor(intentOf(this.#inputs), () => this.#context.clock.random());
    return new UnfinishedError(failure, unfinishedState(this.#inputs, phase, this.#before, salt));
  }
}

/** Whether the job must not be continued: it can never complete, or it belongs to another site. */
function isFinal(error: unknown): boolean {
  return [ExportFailedError, InputError, NotFoundError].some((kind) => error instanceof kind);
}

/** Whether the service refused the request. */
function isRefusal(error: unknown): boolean {
  return error instanceof ResponseError && error.status < 500;
}
