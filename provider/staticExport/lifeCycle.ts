import { NotFoundError } from "../base/runtime/messages/errors";
import { explained } from "../base/runtime/messages/explainedError";
import { clockErrorOf, type Deadline, machineOf, startDeadline } from "../base/runtime/time/clock";
import type { Context } from "../resource/context";
import { decisionLine } from "../resource/decision";
import { checkByTable, withEffect } from "../resource/inputTable";
import {
  allMissing,
  DEFAULT_LIMIT_MS,
  goneDecision,
  type LifeCycle,
  openClientFor,
  READ_LIMIT_MS,
  type ServiceContext,
} from "../resource/lifeCycle";
import { exportSite } from "./exportSite";
import { type CheckedExportInputs, STATIC_EXPORT_INPUTS } from "./inputs";
import { STATIC_EXPORT_OUTPUTS } from "./outputs";
import { changedExportInputs, planExport, predictExport, unreadStart } from "./plan";
import { renewLink } from "./renewLink";
import { renameRecords, resumptionOf } from "./resumption";
import {
  exportInputsOf,
  hadLink,
  hasSameIntent,
  recordedState,
  serviceTimeOf,
  type StaticExportState,
  warnOfShortLife,
  withUsableLink,
} from "./state";
import { importExport, stateToLookUp } from "./unmanaged";
import { findJob, unprovedMissing } from "./workflow";

const UNCHANGED = "The state is unchanged";

/** The life cycle of a static export. */
export const staticExport: LifeCycle<CheckedExportInputs, StaticExportState> = {
  outputs: STATIC_EXPORT_OUTPUTS,
  noBookkeeping: { given: [] },

  /** The domain, because the job changes during the resource's life and the domain does not. */
  idOf: ({ outputs }) => outputs.domain,

  check: (given, configuration) =>
    checkByTable<CheckedExportInputs>(STATIC_EXPORT_INPUTS, given, configuration),

  diff(inputs, state, machine) {
    const changed = changedExportInputs(inputs, state);
    const replaces = withEffect(STATIC_EXPORT_INPUTS, changed, "replaces");
    if (replaces.length > 0) {
      const text = `${replaces.join(" and ")} changed: another export, with its own job, replaces this one`;
      return { changed, replaces, hidden: false, decision: { code: "REPLACED", text } };
    }
    const { action, code, text } = planExport(inputs, state, serviceTimeOf(state, machine));
    const hidden = action !== "record" && changed.length === 0;
    return { changed, replaces, hidden, decision: { code, text } };
  },

  predict: predictExport,

  /** Exports the site, or adopts the given job. */
  create: (context, inputs, limitMs = DEFAULT_LIMIT_MS) => converge(context, inputs, undefined, limitMs),

  /** Reads the job once. It polls a job of an interrupted run until the service must know it. Mints no link. */
  async read(context, state) {
    const { outputs, bookkeeping } = state;
    const inputs = exportInputsOf(state);
    const { unfinished } = bookkeeping;
    const jobOfLink = outputs.bundleUrl === undefined ? "" : outputs.jobId;
    const jobs = new Set([jobOfLink, unfinished?.jobId ?? outputs.jobId]);
    jobs.delete("");
    if (jobs.size === 0) return { inputs, state }; // no job was ever known: nothing to read
    const subject = outputs.domain || "the export"; // a damaged state has no domain
    const service = openClientFor(context, outputs, READ_LIMIT_MS, subject, UNCHANGED);
    let missing: NotFoundError | undefined;
    /** Jobs of which only a gateway may have said that they are missing. */
    const unproved = new Map<string, NotFoundError>();
    for (const jobId of jobs) {
      try {
        const mayBeNew = jobId === unfinished?.jobId && !unfinished.completed;
        const found = await findJob(jobId, { domain: outputs.domain, mayBeNew }, service);
        const clockError = clockErrorOf(machineOf(context), service.client.clockAheadMs);
        const status = found.outcome === "success" ? "completed" : found.status;
        const observed = { ...outputs, status, ...found.report };
        return {
          inputs,
          state: {
            outputs: jobId === outputs.jobId ? observed : outputs,
            bookkeeping: { ...bookkeeping, clockError },
          },
        };
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw explained(error, outputs.domain, UNCHANGED);
        missing = error; // the job of an interrupted update may still be there
        if (!error.isOfApi) unproved.set(jobId, error);
      }
    }
    if (!missing) return undefined;
    let isGone: boolean;
    try {
      isGone = await service.client.jobs.isGone(jobs, service);
    } catch (error) {
      throw explained(error, outputs.domain, UNCHANGED); // stopped
    }
    if (isGone) {
      keepForCreate(context, state, unproved);
      return undefined;
    }
    throw explained(allMissing(missing, service.client), outputs.domain, UNCHANGED);
  },

  gone: ({ outputs: { jobId, domain } }) => goneDecision("JOB_GONE", `job ${jobId} of ${domain}`),

  /** Implements `StaticExport.get`. */
  async lookUp(context, domain, given) {
    const wanted = stateToLookUp(domain, given, context.configuration);
    const found = await staticExport.read(context, wanted);
    if (found) return found;
    const { jobId, baseUrl } = wanted.outputs;
    const remedy = "Check the jobId and the account.";
    const message = `${wanted.outputs.domain}: there is no job ${jobId} at ${baseUrl}. ${remedy}`;
    throw new NotFoundError(message, remedy, { status: 404 });
  },

  import: importExport,

  /** Converges the state to the inputs, see `planExport`. */
  update: (context, state, inputs, limitMs = DEFAULT_LIMIT_MS) =>
    converge(context, inputs, withUsableLink(state), limitMs),

  /** Deletes nothing at the service, so it needs no key and no network. */
  remove({ resumeRecords, urn }, { outputs: { domain, baseUrl } }) {
    if (urn !== undefined) resumeRecords.forget({ urn, domain, baseUrl });
    return Promise.resolve();
  },
};

/**
 * Records a job that leaves the state without a proof that it is gone, so that the next create asks for it before it starts another.
 *
 * @throws an Error, so that the state stays, for the job of an interrupted update to other content: it cannot be recorded
 */
function keepForCreate(
  context: Context,
  state: StaticExportState,
  unproved: ReadonlyMap<string, NotFoundError>,
): void {
  const { outputs, bookkeeping } = state;
  const { unfinished } = bookkeeping;
  const inputs = exportInputsOf(state);
  const started = unfinished?.jobId ?? "";
  const isOfOutputs = hasSameIntent(unfinished, inputs);
  const ofUpdate = isOfOutputs ? undefined : unproved.get(started);
  if (ofUpdate) {
    const ifRemoved = "run `pulumi up` without a refresh and with another `version`";
    throw explained(unprovedMissing(ofUpdate, ifRemoved), outputs.domain, UNCHANGED);
  }
  const isStarted = isOfOutputs && unproved.has(started);
  const jobId = isStarted ? started : outputs.jobId;
  if (!unproved.has(jobId)) return;
  const record = resumptionOf(context, inputs);
  if (record.find().jobId !== undefined) return;
  const wasCompleted = isStarted ? unfinished?.completed === true : hadLink(state);
  record.save(jobId, bookkeeping.exportedAtMs ?? context.clock.now(), wasCompleted);
}

/**
 * Converges an export to its inputs, from any state. Create starts without a state.
 *
 * @param limitMs time limit in milliseconds
 * @throws UnfinishedError if there is progress to store; otherwise an Error, and the state stays unchanged
 */
async function converge(
  context: Context,
  inputs: CheckedExportInputs,
  state: StaticExportState | undefined,
  limitMs: number,
): Promise<StaticExportState> {
  renameRecords(context, inputs);
  const plan = planExport(inputs, state, serviceTimeOf(state, machineOf(context)));
  context.tracer.note({ "docs_hosting.domain": inputs.domain, "docs_hosting.decision": plan.code });
  if (plan.action === "record") {
    const recorded = recordedState(inputs, plan.state);
    const isMoved = inputs.renewBefore !== plan.state.outputs.renewBefore;
    if (isMoved) warnOfShortLife(context, inputs, recorded);
    return recorded;
  }
  if (plan.action === "refuse") throw explained(unreadStart(), inputs.domain, "");
  const open = (limit: number | Deadline): ServiceContext => {
    const consequence = state
      ? "No request was sent: the export and its link stay as they are"
      : "No request was sent, and no job was started";
    return openClientFor(context, inputs, limit, inputs.domain, consequence);
  };
  if (plan.action === "renew") {
    const deadline = startDeadline(context.clock, limitMs);
    const renewed = await renewLink(context, inputs, plan.state, limitMs);
    return renewed ?? exportSite(open(deadline), inputs, plan.state, undefined);
  }
  const service = open(limitMs);
  if (plan.action !== "continue") return exportSite(service, inputs, state, undefined, plan);
  // for an existing resource, diff has reported the decision
  if (!state) context.reporter.info(decisionLine(plan));
  return exportSite(service, inputs, state, plan.job);
}
