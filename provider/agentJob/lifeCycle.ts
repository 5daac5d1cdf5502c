import {
  isFinalAgentJob,
  isUnexpectedAgentJob,
  missingFields,
  nameOf,
  type AgentJob,
} from "../service/agentJob";
import type { CheckedAgentJobInputs } from "./inputs";
import { inputsOf, seenState, type AgentJobState } from "./state";
import { connect } from "../resource/openClient";
import type { AgentJobLook } from "../service/client";
import type { Context } from "../resource/context";
import { decisionLine, type Decision } from "../resource/decision";
import { NotFoundError } from "../words/errors";
import { explained } from "../words/explainedError";
import { waitForJob } from "../waiting/jobWait";
import { DEFAULT_LIMIT_MS, READ_LIMIT_MS, type Diff } from "../resource/lifeCycle";
import { warningOnce } from "../words/reporter";
import { UnfinishedError } from "../resource/unfinishedError";

export { checkAgentJobInputs as check } from "./inputs";

/** @see LifeCycle.noBookkeeping */
export const noBookkeeping = {};

/** The agent job's own id. */
export function idOf({ outputs }: AgentJobState): string {
  return outputs.jobId;
}

/** Compares; pure, so that it can run at every preview. */
export function diff(inputs: CheckedAgentJobInputs, state: AgentJobState): Diff {
  const before = inputsOf(state);
  const changed = (Object.keys(before) as (keyof CheckedAgentJobInputs)[]).filter(
    (name) => inputs[name] !== before[name],
  );
  const replaces = changed.filter((name) => name !== "acceptFailed" && name !== "apiKeyEnv");
  if (replaces.length > 0) {
    const names = replaces.map((name) => (name === "jobId" ? "id" : name));
    const text = `${names.join(" and ")} changed: another agent job in its place`;
    return { changed, replaces, hidden: false, decision: { because: "REPLACED", text } };
  }
  const decision = decide(inputs, state, changed);
  const isSettled = decision.because === "SETTINGS" || decision.because === "UP_TO_DATE";
  return { changed, replaces, hidden: !isSettled && changed.length === 0, decision };
}

/**
 * Waits until the job is final.
 *
 * @throws UnfinishedError when the job was seen, but is not final, or failed; else an Error
 */
export async function create(
  context: Context,
  inputs: CheckedAgentJobInputs,
  limitMs = DEFAULT_LIMIT_MS,
): Promise<AgentJobState> {
  context.reporter.info(decisionLine({ because: "NEW", text: `${describe(inputs)} is waited for` }));
  return settled(inputs, await waitUntilSeenFinal(context, inputs, limitMs));
}

/** Waits on where an earlier run was cut off; asks nothing about a job that is final. */
export async function update(
  context: Context,
  state: AgentJobState,
  inputs: CheckedAgentJobInputs,
  limitMs = DEFAULT_LIMIT_MS,
): Promise<AgentJobState> {
  const job = isFinalAgentJob(state.outputs)
    ? { ...state.outputs, id: state.outputs.jobId }
    : await waitUntilSeenFinal(context, inputs, limitMs, state);
  return settled(inputs, job);
}

/** Asks for the job once. */
export async function read(context: Context, state: AgentJobState): Promise<AgentJobState | undefined> {
  const inputs = inputsOf(state);
  try {
    const { client } = connect(context, inputs, READ_LIMIT_MS);
    return seenState(inputs, (await client.getAgentJob(keyOf(inputs))).job);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw explained(error, describe(inputs), "The state is unchanged");
  }
}

/** There is another way to do this. @throws Error that names it */
export function lookUp(_context: Context, id: string): Promise<never> {
  return Promise.reject(new Error(`${id}: an AgentJob is not looked up by its resource; use getAgentJob.`));
}

/** Forgets the job: the service has nothing to delete, see `spec.md`, Endpoints. */
export function remove(): void {
  // nothing is kept outside of the state
}

/** What is to be done about a job that is the same as before. */
function decide(
  inputs: CheckedAgentJobInputs,
  { outputs }: AgentJobState,
  changed: readonly string[],
): Decision {
  const name = describe(inputs);
  if (!isFinalAgentJob(outputs)) {
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
    const { client, deadline } = connect(context, inputs, limitMs);
    return await waitForJob<AgentJob & Pick<AgentJobLook, "retryAfterMs">>({
      ...context,
      subject: `${name} to be final`,
      name,
      look: async () => {
        const { job, missing, ...asked } = await client.getAgentJob(keyOf(inputs));
        seen = job;
        if (missing.length > 0) reporter.warn(missingFields(keyOf(inputs), missing));
        return { ...job, ...asked };
      },
      isFinal: isFinalAgentJob,
      isUnexpected: isUnexpectedAgentJob,
      details: ({ retryAfterMs }) => ({ ...(retryAfterMs !== undefined && { retryAfterMs }) }),
      deadline,
    });
  } catch (error) {
    const over = error instanceof NotFoundError;
    const message = explained(error, name, over ? "" : "The next `pulumi up` goes on waiting for it").message;
    const state = seen ? seenState(inputs, seen) : before;
    throw state && !over ? new UnfinishedError(message, state) : new Error(message);
  }
}

/** @throws UnfinishedError for a failed job, unless that is accepted: it is remembered, so that it is not asked for again */
function settled(inputs: CheckedAgentJobInputs, job: AgentJob): AgentJobState {
  const state = seenState(inputs, job);
  if (!isRefused(inputs, job)) return state;
  throw new UnfinishedError(
    `${describe(inputs)} failed: the agent met an unrecoverable error. It is final and not asked for again. ` +
      "Start the agent anew and give the id of the new job, or take this for a normal end with `acceptFailed: true`.",
    state,
  );
}

function isRefused({ acceptFailed }: CheckedAgentJobInputs, { status }: Pick<AgentJob, "status">): boolean {
  return status === "failed" && !acceptFailed;
}

function keyOf({ projectId, jobId }: CheckedAgentJobInputs): { projectId: string; id: string } {
  return { projectId, id: jobId };
}

function describe(inputs: CheckedAgentJobInputs): string {
  return nameOf(keyOf(inputs));
}
