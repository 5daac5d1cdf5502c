import { decisionLine, type Decision, type ReasonCode } from "../resource/decision";
import type { Context } from "../resource/context";
import { changedByTable, checkByTable, withEffect } from "../resource/inputTable";
import { DEFAULT_LIMIT_MS, goneDecision, READ_LIMIT_MS, type LifeCycle } from "../resource/lifeCycle";
import { openClient } from "../resource/openClient";
import { UnfinishedError } from "../resource/unfinishedError";
import { agentJobOutcome, isKnownStatus, missingFields, nameOf, type AgentJob } from "../service/agentJob";
import { waitForJob, type PolledJob } from "../polling/jobWait";
import { AgentFailedError, NotFoundError } from "../messages/errors";
import { explained } from "../messages/explainedError";
import { warningOnce } from "../messages/reporter";
import { AGENT_JOB_INPUTS, type CheckedAgentJobInputs } from "./inputs";
import { inputsOf, seenState, type AgentJobState } from "./state";

/** The life cycle of an agent job. */
export const agentJob: LifeCycle<CheckedAgentJobInputs, AgentJobState> = {
  noBookkeeping: {},

  /** The agent job's own id. */
  idOf: ({ outputs }) => outputs.jobId,

  check: (given, configuration) =>
    checkByTable<CheckedAgentJobInputs>(AGENT_JOB_INPUTS, given, configuration),

  diff(inputs, state) {
    const changed = changedByTable(AGENT_JOB_INPUTS, inputs, inputsOf(state));
    const replaces = withEffect(AGENT_JOB_INPUTS, changed, "replaces");
    if (replaces.length > 0) {
      const names = replaces.map((name) => AGENT_JOB_INPUTS[name].publicName ?? name);
      const text = `${names.join(" and ")} changed: another agent job in its place`;
      return { changed, replaces, hidden: false, decision: { because: "REPLACED", text } };
    }
    const decision = decide(inputs, state, changed);
    const isSettled = decision.because === "SETTINGS" || decision.because === "UP_TO_DATE";
    return { changed, replaces, hidden: !isSettled && changed.length === 0, decision };
  },

  /** Waits until the job is final. */
  async create(context, inputs, limitMs = DEFAULT_LIMIT_MS) {
    noteWhat(context, inputs, "NEW");
    context.reporter.info(decisionLine({ because: "NEW", text: `${describe(inputs)} is waited for` }));
    return settled(inputs, await waitUntilSeenFinal(context, inputs, limitMs));
  },

  /** Reads the job once. */
  async read(context, state) {
    const inputs = inputsOf(state);
    noteWhat(context, inputs);
    try {
      const { client } = openClient(context, inputs, READ_LIMIT_MS);
      const { job } = await client.getAgentJob(keyOf(inputs));
      return { inputs, state: seenState(inputs, job) };
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw explained(error, describe(inputs), "The state is unchanged");
    }
  },

  gone: (state) => goneDecision("JOB_GONE", describe(inputsOf(state))),

  /** Not supported: `getAgentJob` does this. */
  lookUp: (_context, id) =>
    Promise.reject(new Error(`${id}: an AgentJob is not looked up by its resource; use getAgentJob.`)),

  /** Continues the wait of an interrupted run. Sends no request for a final job. */
  async update(context, state, inputs, limitMs = DEFAULT_LIMIT_MS) {
    const changed = changedByTable(AGENT_JOB_INPUTS, inputs, inputsOf(state));
    noteWhat(context, inputs, decide(inputs, state, changed).because);
    const job = isFinal(state.outputs)
      ? { ...state.outputs, id: state.outputs.jobId }
      : await waitUntilSeenFinal(context, inputs, limitMs, state);
    return settled(inputs, job);
  },

  /** Nothing is stored outside of the state. */
  remove: () => Promise.resolve(),
};

/** The decision about a job whose identity did not change. */
function decide(
  inputs: CheckedAgentJobInputs,
  { outputs }: AgentJobState,
  changed: readonly string[],
): Decision {
  const name = describe(inputs);
  if (!isFinal(outputs)) {
    return { because: "RESUMED", text: `${name} was not final when an earlier run ended: the wait goes on` };
  }
  if (isRefused(inputs, outputs)) {
    return { because: "JOB_FAILED", text: `${name} failed, which is not accepted: nothing is asked for` };
  }
  if (changed.length > 0) {
    return { because: "SETTINGS", text: `${changed.join(" and ")} changed: remembered without a request` };
  }
  return { because: "UP_TO_DATE", text: `${name} is ${outputs.status}: nothing is asked for` };
}

async function waitUntilSeenFinal(
  context: Context,
  inputs: CheckedAgentJobInputs,
  limitMs: number,
  before?: AgentJobState,
): Promise<AgentJob> {
  const name = describe(inputs);
  const reporter = warningOnce(context.reporter);
  let seen: AgentJob | undefined;
  try {
    const service = openClient(context, inputs, limitMs);
    const { tracer } = service;
    const poll = async (): Promise<AgentJob & PolledJob> => {
      const { job, missing, ...asked } = await service.client.getAgentJob(keyOf(inputs));
      seen = job;
      if (missing.length > 0) reporter.warn(missingFields(keyOf(inputs), missing));
      const { status } = job;
      const outcome = agentJobOutcome(status);
      tracer.note({ "docs_hosting.job.status": status, "docs_hosting.job.outcome": outcome });
      return { ...job, ...asked, outcome, isUnexpected: !isKnownStatus(status) };
    };
    const tracedPoll = (): ReturnType<typeof poll> => tracer.span("docs_hosting.agent_job.look", {}, poll);
    const wait = { ...service, subject: `${name} to be final`, name, poll: tracedPoll };
    return await tracer.span("docs_hosting.agent_job.wait", {}, () => waitForJob(wait));
  } catch (error) {
    const over = error instanceof NotFoundError;
    const failure = explained(error, name, over ? "" : "The next `pulumi up` goes on waiting for it");
    const state = seen ? seenState(inputs, seen) : before;
    throw state && !over ? new UnfinishedError(failure, state) : failure;
  }
}

/** @throws UnfinishedError for a failed job, unless `acceptFailed` is set: the state stores it, so it is not read again */
function settled(inputs: CheckedAgentJobInputs, job: AgentJob): AgentJobState {
  const state = seenState(inputs, job);
  if (!isRefused(inputs, job)) return state;
  const remedy =
    "Start the agent anew and give the id of the new job, or take this for a normal end with `acceptFailed: true`.";
  const failed = `${describe(inputs)} failed: the agent met an unrecoverable error. It is final and not asked for again.`;
  throw new UnfinishedError(new AgentFailedError(`${failed} ${remedy}`, remedy), state);
}

function isRefused({ acceptFailed }: CheckedAgentJobInputs, { status }: Pick<AgentJob, "status">): boolean {
  return agentJobOutcome(status) === "failure" && !acceptFailed;
}

function isFinal({ status }: Pick<AgentJob, "status">): boolean {
  return agentJobOutcome(status) !== "pending";
}

/** Adds the job and the reason for the operation to the trace. */
function noteWhat(
  { tracer }: Context,
  { projectId, jobId }: CheckedAgentJobInputs,
  because?: ReasonCode,
): void {
  tracer.note({
    "docs_hosting.project.id": projectId,
    "docs_hosting.job.id": jobId,
    ...(because && { "docs_hosting.decision": because }),
  });
}

function keyOf({ projectId, jobId }: CheckedAgentJobInputs): { projectId: string; id: string } {
  return { projectId, id: jobId };
}

function describe(inputs: CheckedAgentJobInputs): string {
  return nameOf(keyOf(inputs));
}
