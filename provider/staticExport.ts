import { Client } from "./client";
import { serviceSettings } from "./configuration";
import type { Context } from "./context";
import { startDeadline, type Deadline } from "./deadline";
import { decisionLine, type Decision } from "./decision";
import { ExportFailedError, NotFoundError, ResponseError } from "./errors";
import { explained } from "./explanation";
import type { ExportJob } from "./exportJob";
import { findJob, mintLink, runExport, type ExportRequest, type FinishedExport } from "./exportWorkflow";
import { jobRecord } from "./jobRecord";
import { clockErrorOf, serviceTimeMs, type Machine } from "./serviceClock";
import { stateToLookUp } from "./staticExportLookup";
import { changedInputs, planExport, type Plan } from "./staticExportPlan";
import type { CheckedInputs } from "./staticExportInputs";
import {
  finishedState,
  intentOf,
  recordedState,
  stillUnfinished,
  unfinishedState,
  type StaticExportOutputs,
  type StaticExportState,
} from "./staticExportState";

export { checkInputs as check } from "./staticExportInputs";

/** Time limit of create and update, unless `customTimeouts` sets one, in milliseconds. */
export const DEFAULT_LIMIT_MS = 30 * 60_000;
/** Time limit of a refresh, in milliseconds: one GET, with a few retries. */
const READ_LIMIT_MS = 60_000;

/** How the inputs differ from the state, for a preview. */
export interface Diff {
  /** Inputs that changed. */
  changed: string[];
  /** Those of them that can only be changed by a replacement. */
  replaces: string[];
  /** Something is to be done that no input shows. */
  hidden: boolean;
  decision: Decision;
}

/** An operation that failed after there was something to remember: the state is saved, and the next one goes on from it. */
export class UnfinishedExportError extends Error {
  readonly state: StaticExportState;

  constructor(message: string, state: StaticExportState) {
    super(message);
    this.name = "UnfinishedExportError";
    this.state = state;
  }
}

/** Compares; pure, so that it can run at every preview. */
export function diff(inputs: CheckedInputs, state: StaticExportState, machine: Machine): Diff {
  const changed = changedInputs(inputs, state);
  const replaces = changed.filter((name) => name === "domain" || name === "baseUrl");
  if (replaces.length > 0) {
    const text = `${replaces.join(" and ")} changed: another export in its place, with a job of its own`;
    return { changed, replaces, hidden: false, decision: { because: "REPLACED", text } };
  }
  const plan = planExport(inputs, state, serviceTime(machine, state));
  return { changed, replaces, hidden: plan.action !== "record" && changed.length === 0, decision: plan };
}

/**
 * Exports the site, or adopts the given job.
 *
 * @param limitMs time limit in milliseconds
 * @throws UnfinishedExportError when a job was begun; else an Error
 */
export function create(
  context: Context,
  inputs: CheckedInputs,
  limitMs = DEFAULT_LIMIT_MS,
): Promise<StaticExportState> {
  return converge(context, inputs, undefined, limitMs);
}

/**
 * Asks for the job once, or, when it is that of a run that was cut off, until it must be known. Mints no link.
 *
 * @returns the state, or `undefined` when the service proves that the job is gone
 * @throws an Error on any other trouble, so that the state stays as it was
 */
export async function read(
  context: Context,
  state: StaticExportState,
): Promise<StaticExportState | undefined> {
  const { outputs, bookkeeping } = state;
  const jobs = new Set([
    ...(outputs.bundleUrl === undefined ? [] : [outputs.jobId]),
    bookkeeping.unfinished?.jobId ?? outputs.jobId,
  ]);
  jobs.delete("");
  if (jobs.size === 0) return state; // no job was ever known: nothing to ask for
  const { client } = connect(context, outputs, READ_LIMIT_MS);
  for (const jobId of jobs) {
    try {
      const { unfinished } = bookkeeping;
      const mayBeNew = jobId === unfinished?.jobId && !unfinished.completed;
      const job = await findJob({ jobId, mayBeNew }, { ...context, client });
      return {
        outputs: jobId === outputs.jobId ? seenOutputs(outputs, job) : outputs,
        bookkeeping: {
          ...bookkeeping,
          clockError: clockErrorOf(machineOf(context), client.clockAheadMs),
        },
      };
    } catch (error) {
      if (error instanceof NotFoundError) continue; // the job of an interrupted update may still be there
      throw explained(error, outputs.domain, "The state is unchanged");
    }
  }
  return undefined;
}

/**
 * Asks for an export that something else manages, for `StaticExport.get`.
 *
 * @param given the properties of the call, unchecked
 * @throws an Error when there is no such job, too: the engine would take nothing for an export without properties
 */
export async function lookUp(
  context: Context,
  domain: string,
  given: Readonly<Record<string, unknown>>,
): Promise<StaticExportState> {
  const wanted = stateToLookUp(domain, given, context.configuration);
  const found = await read(context, wanted);
  if (found) return found;
  throw new Error(
    `${domain}: there is no job ${wanted.outputs.jobId} at ${wanted.outputs.baseUrl}. Check the jobId and the account.`,
  );
}

/**
 * Brings the state to what the inputs ask for, see {@link planExport}.
 *
 * @param limitMs time limit in milliseconds
 * @throws UnfinishedExportError when a job was begun; else an Error, and the state stays as it was
 */
export function update(
  context: Context,
  state: StaticExportState,
  inputs: CheckedInputs,
  limitMs = DEFAULT_LIMIT_MS,
): Promise<StaticExportState> {
  return converge(context, inputs, state, limitMs);
}

/** Forgets the export: the service has nothing to delete, see `spec.md`, Endpoints. Needs neither key nor network. */
export function remove(context: Pick<Context, "resumeRecords" | "urn">, state: StaticExportState): void {
  const { domain, baseUrl } = state.outputs;
  if (context.urn !== undefined) context.resumeRecords.forget({ urn: context.urn, domain, baseUrl });
}

async function converge(
  context: Context,
  inputs: CheckedInputs,
  state: StaticExportState | undefined,
  limitMs: number,
): Promise<StaticExportState> {
  const plan = planExport(inputs, state, serviceTime(machineOf(context), state));
  if (plan.action === "record" && state) return recordedState(inputs, state);
  const { client, deadline } = connect(context, inputs, limitMs);
  if (plan.action === "renew" && state) {
    try {
      context.reporter.progress("renewing the link");
      const link = await mintLink(client, plan.jobId);
      const done = { jobId: plan.jobId, pageCount: state.outputs.pageCount, link };
      const renewed = finishedState(inputs, done, clockErrorOf(machineOf(context), client.clockAheadMs));
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
  const { reporter } = context;
  const { domain } = inputs;
  const record = jobRecord(context, inputs);
  const known: { job?: { jobId: string; completed: boolean } } = {};
  const run = (request: Omit<ExportRequest, "domain">): Promise<FinishedExport> => {
    const onJob = (job: { jobId: string; completed: boolean }): void => {
      const isNew = request.jobId === undefined && !known.job;
      known.job = job;
      if (isNew) record.save(job.jobId);
    };
    return runExport({ domain, ...request }, { ...context, client, deadline, onJob });
  };
  const gone = (jobId: string): void => {
    jobIsGone(context, inputs, jobId);
    delete known.job;
  };
  try {
    let done: FinishedExport | undefined;
    if (plan.action === "continue") {
      try {
        // an earlier run may have been cut off a moment after the start
        done = await run({ ...plan, mayBeNew: plan.jobId === state?.bookkeeping.unfinished?.jobId });
      } catch (error) {
        // a job that the user names is never replaced by another
        if (!(error instanceof NotFoundError) || inputs.jobId !== undefined) throw error;
        gone(plan.jobId);
      }
    }
    const jobId = done ? undefined : record.find();
    // the job of the link was stored by a run that was killed before it could tidy up: it is the old content
    const isStored = state?.outputs.bundleUrl !== undefined && state.outputs.jobId === jobId;
    if (jobId !== undefined && !isStored) {
      const text = `job ${jobId} of a run that was killed goes on, none is started`;
      reporter.info(decisionLine({ because: "RESUMED", text }));
      try {
        done = await run({ jobId, mayBeNew: true });
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
        gone(jobId);
      }
    }
    done ??= await run({});
    // a refresh may have stored how far the job was
    const counted = state?.outputs.status === "completed" && state.outputs.jobId === done.jobId;
    const pageCount = done.pageCount ?? (counted ? state.outputs.pageCount : undefined);
    record.handOver();
    const clockError = clockErrorOf(machineOf(context), client.clockAheadMs);
    return finishedState(inputs, { ...done, pageCount }, clockError);
  } catch (error) {
    if (error instanceof ExportFailedError || error instanceof NotFoundError) record.forget();
    // a run that was killed may have left a newer job than the one that the state goes on naming
    else if (known.job && record.find() === known.job.jobId) record.handOver();
    return fail(error, inputs, state, known.job);
  }
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
  job: { jobId: string; completed: boolean } | undefined,
): never {
  const { domain } = inputs;
  const oldLink =
    state?.outputs.bundleUrl === undefined ? "" : ` The link to job ${state.outputs.jobId} stays in place.`;
  if (!job) {
    const surelyNot = error instanceof ResponseError && error.status < 500;
    throw explained(
      error,
      domain,
      `${surelyNot ? "No job was started." : "No job is known to have been started."}${oldLink}`,
    );
  }
  const over = error instanceof ExportFailedError || error instanceof NotFoundError;
  const unfinished = state?.bookkeeping.unfinished;
  const isRemembered = unfinished?.intent === intentOf(inputs) || unfinished?.jobId === job.jobId;
  if (over && !isRemembered) throw explained(error, domain, oldLink.trim());
  if (over) {
    // the state names a job that is over: forget it, or every later run would go on with it
    const { message } = explained(error, domain, oldLink.trim());
    throw new UnfinishedExportError(message, unfinishedState(inputs, { completed: false }, state));
  }
  const kept = `Nothing is lost: job ${job.jobId} goes on at the service, and the next \`pulumi up\` continues it.${oldLink}`;
  throw new UnfinishedExportError(
    explained(error, domain, kept).message,
    unfinishedState(inputs, job, state),
  );
}

function connect(
  context: Context,
  inputs: { baseUrl?: string; apiKeyEnv?: string },
  limitMs: number,
): { client: Client; deadline: Deadline } {
  const { clock, fetch, reporter, signal, configuration } = context;
  const deadline = startDeadline(clock, limitMs);
  const service = serviceSettings(configuration, inputs);
  return { client: new Client({ service, fetch, clock, reporter, signal, deadline }), deadline };
}

function seenOutputs(outputs: StaticExportOutputs, { status, pageCount }: ExportJob): StaticExportOutputs {
  return { ...outputs, status, ...(pageCount !== undefined && { pageCount }) };
}

function machineOf({ machine, clock }: Context): Machine {
  return { name: machine, nowMs: clock.now() };
}

/** The service's time, which nothing in the state can be ahead of. */
function serviceTime(machine: Machine, state: StaticExportState | undefined): number {
  const { clockError, mintedAtMs } = state?.bookkeeping ?? {};
  return serviceTimeMs(machine, clockError, mintedAtMs ?? 0);
}
