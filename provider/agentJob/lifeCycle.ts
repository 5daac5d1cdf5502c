import { AgentFailedError, InputError, NotFoundError } from "../base/runtime/messages/errors";
import { explained } from "../base/runtime/messages/explainedError";
import { warningOnce } from "../base/runtime/messages/reporter";
import type { Context } from "../resource/context";
import { type Decision, type DecisionCode, decisionLine } from "../resource/decision";
import {
  changedByTable,
  checkByTable,
  checkedByTable,
  type InputTable,
  withEffect,
} from "../resource/inputTable";
import {
  DEFAULT_LIMIT_MS,
  type Found,
  goneDecision,
  type LifeCycle,
  openClient,
  READ_LIMIT_MS,
  UnfinishedError,
} from "../resource/lifeCycle";
import { unknownOutputs } from "../resource/outputTable";
import {
  type AgentJob,
  type AgentJobKey,
  agentJobName,
  agentJobOutcome,
  isKnownStatus,
  missingFields,
} from "../service/agentJob";
import { type PolledJob, waitForJob } from "../service/polling/jobWait";
import { AGENT_JOB_INPUTS, type CheckedAgentJobInputs, STORED_AGENT_JOB_INPUTS } from "./inputs";
import { AGENT_JOB_OUTPUTS, type AgentJobOwnOutputs } from "./outputs";
import { agentJobInputsOf, type AgentJobState, observedState } from "./state";

type AgentJobLifeCycle = LifeCycle<CheckedAgentJobInputs, AgentJobState>;

/** The life cycle of an agent job. @param table names the inputs in messages */
function agentJobNamedBy(table: InputTable<CheckedAgentJobInputs>): AgentJobLifeCycle {
  return {
    outputs: AGENT_JOB_OUTPUTS,
    noBookkeeping: {},

    /** The agent job's own id. */
    idOf: ({ outputs }) => outputs.jobId,

    check: (given, configuration) => checkByTable<CheckedAgentJobInputs>(table, given, configuration),

    diff(inputs, state) {
      const changed = changedByTable(table, inputs, agentJobInputsOf(state));
      const replaces = withEffect(table, changed, "replaces");
      const names = replaces.map((name) => table[name].publicName ?? name);
      const replaced = `${names.join(" and ")} changed: another agent job replaces this one`;
      const decision: Decision =
        names.length > 0 ? { code: "REPLACED", text: replaced } : decide(inputs, state, changed);
      const hidden = changed.length === 0 && decision.code !== "UP_TO_DATE";
      return { changed, replaces, hidden, decision };
    },

    /** A final job is not read again. */
    predict: (inputs, state) =>
      state && isFinal(state.outputs)
        ? { ...observedState(inputs, state.outputs).outputs }
        : { ...inputs, ...unknownOutputs(AGENT_JOB_OUTPUTS) },

    /** Waits until the job is final. */
    async create(context, inputs, limitMs = DEFAULT_LIMIT_MS) {
      traceJob(context, inputs, "NEW");
      context.reporter.info(decisionLine({ code: "NEW", text: `waiting for ${agentJobName(inputs)}` }));
      return acceptedState(inputs, await waitUntilFinal(context, inputs, limitMs));
    },

    /** Reads the job once. */
    async read(context, state) {
      const inputs = agentJobInputsOf(state);
      traceJob(context, inputs);
      try {
        const { client } = openClient(context, inputs, READ_LIMIT_MS);
        const { job } = await client.getAgentJob(inputs);
        return { inputs, state: observedState(inputs, job) };
      } catch (error) {
        if (isGone(error)) return undefined;
        throw explained(error, agentJobName(inputs), "The state is unchanged");
      }
    },

    gone: (state) => goneDecision("JOB_GONE", agentJobName(agentJobInputsOf(state))),

    /** Reads a job that this stack does not manage. */
    lookUp: (context, id) => readById(context, id, "looked up"),

    /** Imports a failed job with `acceptFailed`: otherwise every `pulumi up` would refuse it. */
    async import(context, id) {
      const { inputs, state } = await readById(context, id, "imported");
      const { projectId, jobId } = inputs;
      const isFailed = agentJobOutcome(state.outputs.status) === "failure";
      const accepted = { ...inputs, acceptFailed: isFailed };
      return {
        inputs: { projectId, jobId, ...(isFailed && { acceptFailed: true }) },
        state: { ...state, outputs: { ...state.outputs, ...accepted } },
      };
    },

    /** Continues the wait of an interrupted run. Sends no request for a final job. */
    async update(context, state, inputs, limitMs = DEFAULT_LIMIT_MS) {
      const changed = changedByTable(table, inputs, agentJobInputsOf(state));
      traceJob(context, inputs, decide(inputs, state, changed).code);
      const job = isFinal(state.outputs)
        ? state.outputs
        : await waitUntilFinal(context, inputs, limitMs, state);
      return acceptedState(inputs, job);
    },

    /** Nothing is stored outside of the state. */
    remove: () => Promise.resolve(),
  };
}

/** The life cycle of an agent job. */
export const agentJob: AgentJobLifeCycle = agentJobNamedBy(AGENT_JOB_INPUTS);

/** The same for users to whom inputs have their stored names: a schema cannot have an input `id`. */
export const agentJobByStoredNames: AgentJobLifeCycle = agentJobNamedBy(STORED_AGENT_JOB_INPUTS);

/**
 * Reads the job `PROJECT/JOB` once.
 *
 * @param done "imported"
 */
async function readById(
  context: Context,
  id: string,
  done: string,
): Promise<Found<CheckedAgentJobInputs, AgentJobState>> {
  const slash = id.indexOf("/");
  if (slash < 0) {
    throw new InputError(
      `${id}: an agent job is ${done} by its project and its id: write PROJECT/JOB, such as my-project/${id}`,
      "",
    );
  }
  const given = { projectId: id.slice(0, slash), jobId: id.slice(slash + 1) };
  const what = `${id}: cannot be ${done}`;
  const inputs = checkedByTable(STORED_AGENT_JOB_INPUTS, given, context.configuration, what);
  traceJob(context, inputs);
  try {
    const { client } = openClient(context, inputs, READ_LIMIT_MS);
    const { job, missing } = await client.getAgentJob(inputs);
    if (missing.length > 0) context.reporter.warn(missingFields(inputs, missing));
    return { inputs, state: observedState(inputs, job) };
  } catch (error) {
    if (error instanceof NotFoundError) {
      const remedy = "Check the project, the job and the account.";
      throw error.withMessage(`${id}: the service has no such agent job. ${remedy}`, remedy);
    }
    throw explained(error, agentJobName(inputs), `Nothing was ${done}`);
  }
}

/** The decision about a job whose identity did not change. */
function decide(
  inputs: CheckedAgentJobInputs,
  { outputs }: AgentJobState,
  changed: readonly string[],
): Decision {
  const name = agentJobName(inputs);
  if (!isFinal(outputs)) {
    return { code: "RESUMED", text: `${name} was not final when an earlier run ended: the wait continues` };
  }
  if (isRefused(inputs, outputs)) {
    return { code: "JOB_FAILED", text: `${name} failed, and acceptFailed is not set: no request is sent` };
  }
  if (changed.length > 0) {
    return { code: "SETTINGS", text: `${changed.join(" and ")} changed: recorded without a request` };
  }
  return { code: "UP_TO_DATE", text: `${name} is ${outputs.status}: no request is needed` };
}

async function waitUntilFinal(
  context: Context,
  inputs: CheckedAgentJobInputs,
  limitMs: number,
  before?: AgentJobState,
): Promise<AgentJob> {
  const name = agentJobName(inputs);
  const reporter = warningOnce(context.reporter);
  let observed: AgentJob | undefined;
  try {
    const service = openClient(context, inputs, limitMs);
    const { tracer, client } = service;
    const poll = (): Promise<AgentJob & PolledJob> =>
      tracer.span("docs_hosting.agent_job.look", {}, async () => {
        const { job, missing, retryAfterMs } = await client.getAgentJob(inputs);
        observed = job;
        if (missing.length > 0) reporter.warn(missingFields(inputs, missing));
        const { status } = job;
        const outcome = agentJobOutcome(status);
        tracer.note({ "docs_hosting.job.status": status, "docs_hosting.job.outcome": outcome });
        return { ...job, retryAfterMs, outcome, isUnexpected: !isKnownStatus(status) };
      });
    const wait = { ...service, subject: `${name} to be final`, name, poll };
    return await tracer.span("docs_hosting.agent_job.wait", {}, () => waitForJob(wait));
  } catch (error) {
    const over = isGone(error);
    const failure = explained(error, name, over ? "" : "The next `pulumi up` continues to wait for it");
    const state = observed ? observedState(inputs, observed) : before;
    throw state && !over ? new UnfinishedError(failure, state) : failure;
  }
}

/** @throws UnfinishedError for a failed job, unless `acceptFailed` is set: the state stores it, so it is not read again */
function acceptedState(inputs: CheckedAgentJobInputs, job: AgentJobOwnOutputs): AgentJobState {
  const state = observedState(inputs, job);
  if (!isRefused(inputs, job)) return state;
  const remedy =
    "Start the agent again and give the id of the new job, or accept the failure with `acceptFailed: true`.";
  const how =
    job.status === "failed" ? "failed: the agent met an unrecoverable error" : `ended as "${job.status}"`;
  const failed = `${agentJobName(inputs)} ${how}. The job is final, so it is not read again.`;
  throw new UnfinishedError(new AgentFailedError(`${failed} ${remedy}`, remedy), state);
}

function isRefused({ acceptFailed }: CheckedAgentJobInputs, { status }: Pick<AgentJob, "status">): boolean {
  return agentJobOutcome(status) === "failure" && !acceptFailed;
}

function isFinal({ status }: Pick<AgentJob, "status">): boolean {
  return agentJobOutcome(status) !== "pending";
}

/** Whether the service says that there is no such job: a gateway's 404 does not. */
const isGone = (error: unknown): boolean => error instanceof NotFoundError && error.isOfApi;

/** Adds the job and the reason for the operation to the trace. */
function traceJob({ tracer }: Context, { projectId, jobId }: AgentJobKey, code?: DecisionCode): void {
  tracer.note({
    "docs_hosting.project.id": projectId,
    "docs_hosting.job.id": jobId,
    ...(code && { "docs_hosting.decision": code }),
  });
}
