import { connect } from "../resource/openClient";
import type { Context } from "../resource/context";
import { NotFoundError } from "../words/errors";
import { explained } from "../words/explainedError";
import type { ExportJob } from "../service/exportJob";
import { findJob } from "./workflow";
import { DEFAULT_LIMIT_MS, READ_LIMIT_MS, type Diff } from "../resource/lifeCycle";
import { clockErrorOf, machineOf, type Machine } from "../time/serviceClock";
import { converge } from "./converge";
import { stateToLookUp } from "./unmanaged";
import { changedInputs, planExport } from "./plan";
import type { CheckedInputs } from "./inputs";
import { serviceTimeOf, type Bookkeeping, type StaticExportOutputs, type StaticExportState } from "./state";

export { checkInputs as check } from "./inputs";

/** @see LifeCycle.noBookkeeping */
export const noBookkeeping: Bookkeeping = { given: [] };

/** The domain: the job changes over the resource's life, the domain does not. */
export function idOf({ outputs }: StaticExportState): string {
  return outputs.domain;
}

/** Compares; pure, so that it can run at every preview. */
export function diff(inputs: CheckedInputs, state: StaticExportState, machine: Machine): Diff {
  const changed = changedInputs(inputs, state);
  const replaces = changed.filter((name) => name === "domain" || name === "baseUrl");
  if (replaces.length > 0) {
    const text = `${replaces.join(" and ")} changed: another export in its place, with a job of its own`;
    return { changed, replaces, hidden: false, decision: { because: "REPLACED", text } };
  }
  const plan = planExport(inputs, state, serviceTimeOf(state, machine));
  return { changed, replaces, hidden: plan.action !== "record" && changed.length === 0, decision: plan };
}

/**
 * Exports the site, or adopts the given job.
 *
 * @param limitMs time limit in milliseconds
 * @throws UnfinishedError when a job was begun; else an Error
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
 * @throws UnfinishedError when a job was begun; else an Error, and the state stays as it was
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

function seenOutputs(outputs: StaticExportOutputs, { status, pageCount }: ExportJob): StaticExportOutputs {
  return { ...outputs, status, ...(pageCount !== undefined && { pageCount }) };
}
