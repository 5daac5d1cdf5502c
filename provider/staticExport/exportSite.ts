import { NOT_THE_API } from "../base/http/refusal";
import {
  ExportFailedError,
  InputError,
  NotFoundError,
  ResponseError,
  UnreadableStartError,
} from "../base/runtime/messages/errors";
import { explained } from "../base/runtime/messages/explainedError";
import { sleep } from "../base/runtime/time/clock";
import { type Decision, decisionLine } from "../resource/decision";
import { type ServiceContext, UnfinishedError } from "../resource/lifeCycle";
import type { StartReply } from "../service/exportJob";
import type { CheckedExportInputs } from "./inputs";
import { unreadStart } from "./plan";
import { reportGoneJob, resumptionOf } from "./resumption";
import {
  type FinishedExport,
  hasSameIntent,
  type KnownJob,
  reportedState,
  type StaticExportState,
  unfinishedState,
  unreadState,
} from "./state";
import { completeExport, isMissing, type JobToComplete, startExport, unprovedMissing } from "./workflow";

/**
 * Exports the site. It continues the planned job, otherwise the job of an earlier attempt, otherwise it starts a new job. After any
 * failure, the next run finds the started job.
 *
 * @param before the state, if there is one
 * @param planned the job to continue, if the plan names one
 * @param decision why a job is started, for a new resource
 * @throws UnfinishedError if there is progress to store; otherwise an Error, and the state stays unchanged
 */
export async function exportSite(
  context: ServiceContext,
  inputs: CheckedExportInputs,
  before: StaticExportState | undefined,
  planned: KnownJob | undefined,
  decision?: Decision,
): Promise<StaticExportState> {
  const record = resumptionOf(context, inputs);
  const stored = before?.outputs;
  /** The job of this export, as soon as it is known. */
  let job: KnownJob | undefined;
  /** Whether an earlier run sent the start, too, and does not know its fate. */
  let isRepeatedStart = false;
  /** Jobs that the service does not have. */
  const gone = new Set<string>();
  const complete = (known: JobToComplete): Promise<FinishedExport> =>
    completeExport(context, inputs, known, (now) => (job = now));

  /**
   * @param wasCompleted whether the service has said so in an earlier run
   * @returns `undefined` if the service no longer has the job
   */
  const continued = async (
    known: JobToComplete,
    wasCompleted: boolean,
  ): Promise<FinishedExport | undefined> => {
    try {
      return await complete(known);
    } catch (error) {
      // another job never replaces a job that the user names
      if (!(error instanceof NotFoundError) || inputs.jobId !== undefined) throw error;
      if (!error.isOfApi) {
        // a gateway that does not know the way to the jobs would answer so of each: every run would start one
        const isSeenNow = known.report === undefined && job?.report !== undefined;
        if (!wasCompleted || isSeenNow) throw error;
        const asked = known.report === undefined ? "status" : "bundle";
        if (!(await isMissing(asked, known.jobId, inputs, context))) throw error;
      }
      reportGoneJob(context, known.jobId);
      gone.add(known.jobId);
      job = undefined;
      return undefined;
    }
  };

  const ofEarlierAttempt = async (): Promise<FinishedExport | undefined> => {
    const { jobId, isUnread, wasCompleted = false } = record.find(before?.bookkeeping.exportedAtMs);
    if (isUnread === true) throw unreadStart();
    // a run that was killed before it removed its record has stored this job: it is the old content
    const isStored = stored?.bundleUrl !== undefined && stored.jobId === jobId;
    if (jobId === undefined || isStored || gone.has(jobId)) return undefined;
    const text = `job ${jobId} of an earlier attempt is continued; no job is started`;
    context.reporter.info(decisionLine({ code: "RESUMED", text }));
    context.tracer.note({ "docs_hosting.decision": "RESUMED" });
    return continued({ jobId, mayBeNew: true }, wasCompleted);
  };

  const started = async (): Promise<FinishedExport> => {
    // for an existing resource, diff has reported the decision
    if (!before && decision) context.reporter.info(decisionLine(decision));
    const startedAtMs = (): number => context.clock.now() - (context.client.clockAheadMs ?? 0);
    const { idempotencyKey, isOfEarlierRun } = record.beginStart();
    isRepeatedStart = isOfEarlierRun;
    let start: StartReply;
    try {
      start = await startExport(context, inputs, idempotencyKey);
    } catch (error) {
      if (error instanceof UnreadableStartError) record.saveUnread(startedAtMs());
      throw error;
    }
    record.save(start.jobId, startedAtMs());
    return complete({ ...start, mayBeNew: true });
  };

  /** Whether a job may run whose id is unknown: a start of this run or of an earlier one has no answer yet. */
  const mayHaveStarted = (error: unknown): boolean =>
    isRepeatedStart || context.client.mayHaveStarted || isStillProcessed(error);

  /** Updates the record for the next run. */
  const recordFailure = (error: unknown): void => {
    if (isFinal(error)) record.forget();
    // with such a status, the service refused the start
    else if (!job && error instanceof ResponseError && error.status < 500) {
      if (!mayHaveStarted(error)) record.startRefused();
    }
    // a killed run may have recorded a newer job than the one in the state
    else if (job && record.find().jobId === job.jobId) record.handOver("unfinished");
  };

  try {
    // an earlier run may have been interrupted just after the start
    const mayBeNew = planned?.jobId === before?.bookkeeping.unfinished?.jobId;
    const done =
      (planned && (await continued({ ...planned, mayBeNew }, planned.report !== undefined))) ??
      (await ofEarlierAttempt()) ??
      (await started());
    // a refresh may have stored the report of an unfinished job
    const counted = stored?.status === "completed" && stored.jobId === done.jobId;
    record.handOver("finished");
    const state = reportedState(context, inputs, done, counted ? stored : undefined);
    return { ...state, bookkeeping: { ...state.bookkeeping, exportedAtMs: done.link.mintedAtMs } };
  } catch (error) {
    recordFailure(error);
    if (isOfSite(error)) await afterOthersBegan(context);
    const attempt = { job, mayHaveStarted: mayHaveStarted(error) };
    throw failureOf(error, attempt, context, inputs, before);
  }
}

/** Statuses with which services refuse the site of a start. */
const SITE_REFUSED = new Set([400, 403, 404, 422]);
/** How long the error of a refused site waits, in milliseconds: time for the engine to call the provider for the others of a fleet. */
const OTHERS_BEGIN_MS = 2_000;

/** Whether the service says that another start conflicts with this one: it may be an earlier one with the same key, without its answer. */
function isStillProcessed(error: unknown): boolean {
  return error instanceof ResponseError && error.status === 409;
}

/** Whether the service refused a start because of its site. */
function isOfSite(error: unknown): error is ResponseError {
  return error instanceof ResponseError && SITE_REFUSED.has(error.status);
}

/**
 * After the first error, the engine begins no other resource: one wrong site would hide the rest of a fleet. The refusal of a start comes
 * sooner than any other error.
 */
async function afterOthersBegan({ clock, deadline, signal }: ServiceContext): Promise<void> {
  try {
    await sleep(clock, Math.max(0, Math.min(OTHERS_BEGIN_MS, deadline.remainingMs())), signal);
  } catch {
    // cancelled: the refusal is still the error
  }
}

/** Of a create: the provider is not told whether it replaces another resource. */
const REPLACED_STAYS = " If it was to replace an export, that export and its link stay.";

/** Decides what the state stores of a failed export, and reports it. */
function failureOf(
  error: unknown,
  { job, mayHaveStarted }: { readonly job: KnownJob | undefined; readonly mayHaveStarted: boolean },
  { clock }: ServiceContext,
  inputs: CheckedExportInputs,
  before: StaticExportState | undefined,
): Error {
  const { domain } = inputs;
  const hasLink = before?.outputs.bundleUrl !== undefined;
  const oldLink = hasLink ? ` The link to job ${before.outputs.jobId} stays in place.` : "";
  if (error instanceof UnreadableStartError) {
    return new UnfinishedError(explained(error, domain, oldLink.trim()), unreadState(inputs, before, clock));
  }
  if (!job) {
    const started = mayHaveStarted ? "No job is known to have been started." : "No job was started.";
    const replaced = !before && isOfSite(error) && error.remedy !== NOT_THE_API ? REPLACED_STAYS : "";
    return explained(error, domain, `${started}${oldLink}${replaced}`);
  }
  const unfinishedWith = (failure: Error, left: KnownJob | undefined): Error =>
    new UnfinishedError(failure, unfinishedState(inputs, left, before, clock));
  if (!isFinal(error)) {
    const kept = `Nothing is lost: job ${job.jobId} is kept, and the next \`pulumi up\` continues it.${oldLink}`;
    const other = inputs.jobId === undefined ? "another `version`" : "no `jobId`, or that of another job";
    const shown =
      error instanceof NotFoundError ? unprovedMissing(error, `run \`pulumi up\` with ${other}`) : error;
    return unfinishedWith(explained(shown, domain, kept), job);
  }
  const failure = explained(error, domain, oldLink.trim());
  const unfinished = before?.bookkeeping.unfinished;
  // the state must drop a job that is over, or every later run would continue it
  const isRemembered = hasSameIntent(unfinished, inputs) || unfinished?.jobId === job.jobId;
  return isRemembered ? unfinishedWith(failure, undefined) : failure;
}

/** Whether the job must not be continued: it can never complete, it belongs to another site, or the service says that it is gone. */
function isFinal(error: unknown): boolean {
  if (error instanceof NotFoundError) return error.isOfApi;
  return error instanceof ExportFailedError || error instanceof InputError;
}
