import { Client } from "./client";
import { serviceSettings } from "./configuration";
import type { Context } from "./context";
import { startDeadline, type Deadline } from "./deadline";
import { ExportFailedError, NotFoundError, ResponseError } from "./errors";
import { explained } from "./explanation";
import { mintLink, runExport } from "./exportWorkflow";
import { changedInputs, planExport, type Plan } from "./staticExportPlan";
import type { CheckedInputs } from "./staticExportInputs";
import { finishedState, recordedState, unfinishedState, type StaticExportState } from "./staticExportState";

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
  because?: "RENEW_WINDOW" | "UNFINISHED";
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
export function diff(inputs: CheckedInputs, state: StaticExportState, nowMs: number): Diff {
  const changed = changedInputs(inputs, state);
  const replaces = changed.filter((name) => name === "domain" || name === "baseUrl");
  if (replaces.length > 0) return { changed, replaces };
  if (state.bookkeeping.unfinished) return { changed, replaces, because: "UNFINISHED" };
  const { action } = planExport(inputs, state, nowMs);
  return action === "renew" ? { changed, replaces, because: "RENEW_WINDOW" } : { changed, replaces };
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
 * Asks for the job once. Mints no link.
 *
 * @returns the state, or `undefined` when the service proves that the job is gone
 * @throws an Error on any other trouble, so that the state stays as it was
 */
export async function read(
  context: Context,
  state: StaticExportState,
): Promise<StaticExportState | undefined> {
  const { outputs, bookkeeping } = state;
  const jobId =
    outputs.bundleUrl === undefined ? (bookkeeping.unfinished?.jobId ?? outputs.jobId) : outputs.jobId;
  if (jobId === "") return state; // no job was ever known: nothing to ask for
  const { client } = connect(context, outputs, READ_LIMIT_MS);
  try {
    const job = await client.getExport(jobId);
    return {
      outputs: {
        ...outputs,
        status: job.status,
        ...(job.pageCount !== undefined && { pageCount: job.pageCount }),
      },
      bookkeeping,
    };
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw explained(error, outputs.domain, "The state is unchanged");
  }
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
export function remove(): Promise<void> {
  return Promise.resolve();
}

async function converge(
  context: Context,
  inputs: CheckedInputs,
  state: StaticExportState | undefined,
  limitMs: number,
): Promise<StaticExportState> {
  const plan = planExport(inputs, state, context.clock.now());
  if (plan.action === "record" && state) return recordedState(inputs, state);
  const { client, deadline } = connect(context, inputs, limitMs);
  if (plan.action === "renew" && state) {
    try {
      const link = await mintLink(client, plan.jobId);
      return finishedState(inputs, { jobId: plan.jobId, pageCount: state.outputs.pageCount, link });
    } catch (error) {
      const pinned = inputs.jobId !== undefined;
      if (!(error instanceof NotFoundError) || pinned)
        throw explained(error, inputs.domain, "The old link stays in place");
      context.reporter.warn(
        `job ${plan.jobId} is gone from the service, so its link cannot be renewed: exporting again`,
      );
    }
  }
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
  const { clock, signal, reporter } = context;
  const { domain } = inputs;
  let job: { jobId: string; completed: boolean } | undefined;
  const run = (request: { jobId?: string; completed?: boolean }): ReturnType<typeof runExport> =>
    runExport(
      { domain, ...request },
      { client, clock, deadline, signal, reporter, onJob: (known) => (job = known) },
    );
  try {
    let done;
    if (plan.action === "continue") {
      reporter.info(
        plan.because === "RESUMED" ? `going on with job ${plan.jobId}` : `adopting job ${plan.jobId}`,
      );
      try {
        done = await run({ jobId: plan.jobId, completed: plan.completed });
      } catch (error) {
        if (!(error instanceof NotFoundError) || plan.because === "ADOPTED") throw error;
        reporter.warn(`job ${plan.jobId} is gone from the service: exporting again`);
        job = undefined;
      }
    }
    done ??= await run({});
    const pageCount =
      done.pageCount ?? (done.jobId === state?.outputs.jobId ? state.outputs.pageCount : undefined);
    return finishedState(inputs, { ...done, pageCount });
  } catch (error) {
    return fail(error, inputs, state, job);
  }
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
  if (over && state?.bookkeeping.unfinished === undefined) throw explained(error, domain, oldLink.trim());
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
