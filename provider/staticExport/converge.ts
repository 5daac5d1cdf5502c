import type { Client } from "../service/client";
import { connect } from "../resource/openClient";
import type { Context } from "../resource/context";
import type { Deadline } from "../time/deadline";
import { decisionLine } from "../resource/decision";
import { formatDuration } from "../time/duration";
import { ExportFailedError, NotFoundError, ResponseError } from "../words/errors";
import { explained } from "../words/explainedError";
import { mintLink, runExport, type ExportRequest, type FinishedExport, type StartedJob } from "./workflow";
import { jobRecord, renameRecords } from "./resumption";
import { clockErrorOf, machineOf } from "../time/serviceClock";
import { saltFor } from "../resource/salt";
import { planExport, type Plan } from "./plan";
import type { CheckedInputs } from "./inputs";
import {
  finishedState,
  intentOf,
  recordedState,
  renewalWindowOf,
  serviceTimeOf,
  stillUnfinished,
  unfinishedState,
  wasAfter,
  type StaticExportState,
} from "./state";
import { UnfinishedError } from "../resource/unfinishedError";

/**
 * Brings an export to what its inputs ask for, from whatever state it is in. Creating is the same from none.
 *
 * @param limitMs time limit in milliseconds
 * @throws UnfinishedError when there is something to remember; else an Error, and the state stays as it was
 */
export async function converge(
  context: Context,
  inputs: CheckedInputs,
  state: StaticExportState | undefined,
  limitMs: number,
): Promise<StaticExportState> {
  renameRecords(context, inputs);
  const plan = planExport(inputs, state, serviceTimeOf(state, machineOf(context)));
  if (plan.action === "record" && state) {
    const recorded = recordedState(inputs, state);
    if (inputs.renewBefore !== state.outputs.renewBefore) warnOfShortLife(context, inputs, recorded);
    return recorded;
  }
  const { client, deadline } = connect(context, inputs, limitMs);
  if (plan.action === "renew" && state) {
    try {
      context.reporter.progress("renewing the link");
      const link = await mintLink(plan.jobId, { ...context, client });
      const { pageCount, bundleSize } = state.outputs; // the bundle stays the same
      const sized = bundleSize === undefined ? link : { sizeBytes: bundleSize, ...link };
      const done = { jobId: plan.jobId, pageCount, link: sized };
      const renewed = finishedState(inputs, done, clockErrorOf(machineOf(context), client.clockAheadMs));
      warnOfShortLife(context, inputs, renewed);
      return { ...renewed, bookkeeping: { ...renewed.bookkeeping, ...stillUnfinished(inputs, state) } };
    } catch (error) {
      const pinned = inputs.jobId !== undefined;
      if (!(error instanceof NotFoundError) || pinned)
        throw explained(error, inputs.domain, "The old link stays in place");
      jobIsGone(context, inputs, plan.jobId);
    }
  }
  // a diff has told the decision about a resource that was there before
  if (!state) context.reporter.info(decisionLine(plan));
  return exportSite(context, client, deadline, inputs, state, plan);
}

async function exportSite(
  context: Context,
  client: Client,
  deadline: Deadline,
  inputs: CheckedInputs,
  state: StaticExportState | undefined,
  plan: Plan,
): Promise<StaticExportState> {
  const record = jobRecord(context, inputs);
  const known: { job?: StartedJob } = {};
  const run = (request: Omit<ExportRequest, "domain" | "exportOptions">): Promise<FinishedExport> => {
    const onJob = (job: StartedJob): void => {
      const isNew = request.jobId === undefined && !known.job;
      known.job = job;
      if (isNew) record.save(job.jobId);
    };
    const { domain, exportOptions } = inputs;
    return runExport({ domain, exportOptions, ...request }, { ...context, client, deadline, onJob });
  };
  /** `undefined` when the service does not have the job any more. */
  const goOn = async (
    request: Omit<ExportRequest, "domain" | "exportOptions"> & StartedJob,
  ): Promise<FinishedExport | undefined> => {
    try {
      return await run(request);
    } catch (error) {
      // a job that the user names is never replaced by another
      if (!(error instanceof NotFoundError) || inputs.jobId !== undefined) throw error;
      jobIsGone(context, inputs, request.jobId);
      delete known.job;
      return undefined;
    }
  };
  const goOnWithRecord = async (): Promise<FinishedExport | undefined> => {
    const jobId = record.find();
    // the job of the link was stored by a run that was killed before it could tidy up: it is the old content
    const isStored = state?.outputs.bundleUrl !== undefined && state.outputs.jobId === jobId;
    if (jobId === undefined || isStored) return undefined;
    const text = `job ${jobId} of a run that was killed goes on, none is started`;
    context.reporter.info(decisionLine({ because: "RESUMED", text }));
    return goOn({ jobId, completed: false, mayBeNew: true });
  };
  try {
    let done: FinishedExport | undefined;
    if (plan.action === "continue") {
      // an earlier run may have been cut off a moment after the start
      const mayBeNew = plan.jobId === state?.bookkeeping.unfinished?.jobId;
      const { jobId, completed, pageCount } = plan;
      done = await goOn({ jobId, completed, pageCount, mayBeNew });
    }
    done ??= await goOnWithRecord();
    done ??= await run({ idempotencyKey: record.beginStart() });
    // a refresh may have stored how far the job was
    const counted = state?.outputs.status === "completed" && state.outputs.jobId === done.jobId;
    const pageCount = done.pageCount ?? (counted ? state.outputs.pageCount : undefined);
    record.handOver();
    const clockError = clockErrorOf(machineOf(context), client.clockAheadMs);
    const finished = finishedState(inputs, { ...done, pageCount }, clockError);
    warnOfShortLife(context, inputs, finished);
    return finished;
  } catch (error) {
    if (isOver(error)) record.forget();
    else if (!known.job && isRefusal(error)) record.startRefused();
    // a run that was killed may have left a newer job than the one that the state goes on naming
    else if (known.job && record.find() === known.job.jobId) record.handOver();
    const salt = saltFor(intentOf(inputs), () => context.clock.random());
    return fail(error, inputs, state, known.job, salt);
  }
}

/** Tells of a `renewBefore` that would have the link renewed at every run. */
function warnOfShortLife({ reporter }: Context, inputs: CheckedInputs, state: StaticExportState): void {
  const window = renewalWindowOf(inputs, state);
  if (!window?.isShortened) return;
  reporter.warn(
    `renewBefore is ${inputs.renewBefore ?? ""}, more than half of the life of the link to job ${state.outputs.jobId}: ` +
      `it is renewed ${formatDuration(window.ms)} before its end`,
  );
}

/** A job that will never be completed is not gone on with. */
function isOver(error: unknown): boolean {
  return error instanceof ExportFailedError || error instanceof NotFoundError;
}

/** The service answered that it does not do what was asked. */
function isRefusal(error: unknown): boolean {
  return error instanceof ResponseError && error.status < 500;
}

/** Tells why there will be another job, and makes sure that this one is not found again. */
function jobIsGone(context: Context, inputs: CheckedInputs, jobId: string): void {
  const text = `the service does not have job ${jobId} any more: exporting again`;
  context.reporter.warn(decisionLine({ because: "JOB_GONE", text }));
  const record = jobRecord(context, inputs);
  if (record.find() === jobId) record.forget();
}

/** Decides what is remembered of a failed export, and says so. */
function fail(
  error: unknown,
  inputs: CheckedInputs,
  state: StaticExportState | undefined,
  job: StartedJob | undefined,
  salt: string | undefined,
): never {
  const { domain } = inputs;
  const oldLink =
    state?.outputs.bundleUrl === undefined ? "" : ` The link to job ${state.outputs.jobId} stays in place.`;
  if (!job) {
    throw explained(
      error,
      domain,
      `${isRefusal(error) ? "No job was started." : "No job is known to have been started."}${oldLink}`,
    );
  }
  const over = isOver(error);
  const unfinished = state?.bookkeeping.unfinished;
  const isRemembered = wasAfter(unfinished, inputs) || unfinished?.jobId === job.jobId;
  if (over && !isRemembered) throw explained(error, domain, oldLink.trim());
  if (over) {
    // the state names a job that is over: forget it, or every later run would go on with it
    const { message } = explained(error, domain, oldLink.trim());
    throw new UnfinishedError(message, unfinishedState(inputs, { completed: false }, state, salt));
  }
  const kept = `Nothing is lost: job ${job.jobId} goes on at the service, and the next \`pulumi up\` continues it.${oldLink}`;
  throw new UnfinishedError(
    explained(error, domain, kept).message,
    unfinishedState(inputs, job, state, salt),
  );
}
