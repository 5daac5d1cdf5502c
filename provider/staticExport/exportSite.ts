import { decisionLine } from "../resource/decision";
import type { ServiceContext } from "../resource/openClient";
import { saltFor } from "../resource/salt";
import { UnfinishedError } from "../resource/unfinishedError";
import { clockErrorOf, machineOf } from "../time/serviceClock";
import { ExportFailedError, InputError, NotFoundError, ResponseError } from "../messages/errors";
import { explained } from "../messages/explainedError";
import type { CheckedInputs } from "./inputs";
import { intentOf } from "./intent";
import { jobIsGone, resumptionOf, type Resumption } from "./resumption";
import { warnOfShortLife } from "./shortLife";
import { startRequest } from "./startRequest";
import { finishedState, unfinishedState, wasAfter, type JobPhase, type StaticExportState } from "./state";
import { runExport, type ExportRequest, type FinishedExport } from "./workflow";

/**
 * Exports the site: goes on with the planned job, else with that of a run that was killed, else with a new one. Whatever
 * happens, the job that was begun is found again.
 *
 * @param before the state, when there is one
 * @param planned the job to go on with, when the plan names one
 * @throws UnfinishedError when there is something to remember; else an Error, and the state stays as it was
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
  /** The job that this export is about, as soon as there is one. */
  #job: JobPhase | undefined;

  constructor(context: ServiceContext, inputs: CheckedInputs, before: StaticExportState | undefined) {
    this.#context = context;
    this.#inputs = inputs;
    this.#before = before;
    this.#resumption = resumptionOf(context, inputs);
  }

  async run(planned: JobPhase | undefined): Promise<StaticExportState> {
    try {
      const done =
        (planned && (await this.#goOnWithPlanned(planned))) ??
        (await this.#goOnWithKilledRun()) ??
        (await this.#startAnew());
      return this.#finish(done);
    } catch (error) {
      return this.#fail(error);
    }
  }

  #goOnWithPlanned(job: JobPhase): Promise<FinishedExport | undefined> {
    // an earlier run may have been cut off a moment after the start
    return this.#goOn(job, job.jobId === this.#before?.bookkeeping.unfinished?.jobId);
  }

  async #goOnWithKilledRun(): Promise<FinishedExport | undefined> {
    const jobId = this.#resumption.find();
    const stored = this.#before?.outputs;
    // the job of the link was stored by a run that was killed before it could tidy up: it is the old content
    const isStored = stored?.bundleUrl !== undefined && stored.jobId === jobId;
    if (jobId === undefined || isStored) return undefined;
    const text = `job ${jobId} of a run that was killed goes on, none is started`;
    this.#context.reporter.info(decisionLine({ because: "RESUMED", text }));
    this.#context.tracer.note({ "docs_hosting.decision": "RESUMED" });
    return this.#goOn({ kind: "running", jobId }, true);
  }

  #startAnew(): Promise<FinishedExport> {
    const request = startRequest(this.#inputs);
    const idempotencyKey = this.#resumption.beginStart();
    const onJob = (job: JobPhase): void => {
      const isNew = !this.#job;
      this.#job = job;
      if (isNew) this.#resumption.save(job.jobId);
    };
    return this.#run({ kind: "start", request, idempotencyKey }, true, onJob);
  }

  /** @returns `undefined` when the service does not have the job any more */
  async #goOn(job: JobPhase, mayBeNew: boolean): Promise<FinishedExport | undefined> {
    try {
      return await this.#run(job, mayBeNew, (seen) => (this.#job = seen));
    } catch (error) {
      // a job that the user names is never replaced by another
      if (!(error instanceof NotFoundError) || this.#inputs.jobId !== undefined) throw error;
      jobIsGone(this.#context, this.#inputs, job.jobId);
      this.#job = undefined;
      return undefined;
    }
  }

  #run(
    from: ExportRequest["from"],
    mayBeNew: boolean,
    onJob: (job: JobPhase) => void,
  ): Promise<FinishedExport> {
    const { domain, jobId } = this.#inputs;
    const isAdopted = jobId !== undefined;
    return runExport({ from, domain, mayBeNew, isAdopted }, { ...this.#context, onJob });
  }

  #finish(done: FinishedExport): StaticExportState {
    const stored = this.#before?.outputs;
    // a refresh may have stored how far the job was
    const counted = stored?.status === "completed" && stored.jobId === done.jobId;
    const pageCount = done.pageCount ?? (counted ? stored.pageCount : undefined);
    this.#resumption.handOver();
    const clockError = clockErrorOf(machineOf(this.#context), this.#context.client.clockAheadMs);
    const finished = finishedState(this.#inputs, { ...done, pageCount }, clockError);
    warnOfShortLife(this.#context, this.#inputs, finished);
    return finished;
  }

  #fail(error: unknown): never {
    if (isOver(error)) this.#resumption.forget();
    else if (!this.#job && isRefusal(error)) this.#resumption.startRefused();
    // a run that was killed may have left a newer job than the one that the state goes on naming
    else if (this.#job && this.#resumption.find() === this.#job.jobId) this.#resumption.handOver();
    throw this.#failure(error);
  }

  /** Decides what is remembered of a failed export, and says so. */
  #failure(error: unknown): Error {
    const { domain } = this.#inputs;
    const [before, job] = [this.#before, this.#job];
    const oldLink =
      before?.outputs.bundleUrl === undefined
        ? ""
        : ` The link to job ${before.outputs.jobId} stays in place.`;
    if (!job) {
      const begun = isRefusal(error) ? "No job was started." : "No job is known to have been started.";
      return explained(error, domain, `${begun}${oldLink}`);
    }
    if (!isOver(error)) {
      const kept = `Nothing is lost: job ${job.jobId} goes on at the service, and the next \`pulumi up\` continues it.${oldLink}`;
      return this.#unfinished(explained(error, domain, kept), job);
    }
    const failure = explained(error, domain, oldLink.trim());
    const unfinished = before?.bookkeeping.unfinished;
    // a state that names a job which is over has to forget it, or every later run would go on with it
    const isRemembered = wasAfter(unfinished, this.#inputs) || unfinished?.jobId === job.jobId;
    return isRemembered ? this.#unfinished(failure, { kind: "lost" }) : failure;
  }

  #unfinished(failure: Error, phase: JobPhase | { kind: "lost" }): UnfinishedError<StaticExportState> {
    const salt = saltFor(intentOf(this.#inputs), () => this.#context.clock.random());
    return new UnfinishedError(failure, unfinishedState(this.#inputs, phase, this.#before, salt));
  }
}

/** A job that will never be completed, or that is of another site, is not gone on with. */
function isOver(error: unknown): boolean {
  return [ExportFailedError, InputError, NotFoundError].some((kind) => error instanceof kind);
}

/** The service answered that it does not do what was asked. */
function isRefusal(error: unknown): boolean {
  return error instanceof ResponseError && error.status < 500;
}
