import { outputsAmong } from "../resource/outputTable";
import { AGENT_JOB_INPUTS, type CheckedAgentJobInputs } from "./inputs";
import { AGENT_JOB_OUTPUTS, type AgentJobOutputs, type AgentJobOwnOutputs } from "./outputs";

/** The state of an agent job between two operations: the outputs and no bookkeeping. */
export interface AgentJobState {
  outputs: AgentJobOutputs;
  bookkeeping: Readonly<Record<string, never>>;
}

/** The state after a read of the job. */
export function observedState(inputs: CheckedAgentJobInputs, job: AgentJobOwnOutputs): AgentJobState {
  return { outputs: { ...inputs, ...outputsAmong(AGENT_JOB_OUTPUTS, job) }, bookkeeping: {} };
}

/** The inputs that a state was made from. */
export function agentJobInputsOf({ outputs }: AgentJobState): CheckedAgentJobInputs {
  // of a damaged state: the adapter says what to do
  for (const name of ["baseUrl", "projectId", "jobId"] as const) {
    if (typeof outputs[name] !== "string") throw new TypeError(`the state has no ${name}`);
  }
  return outputsAmong<CheckedAgentJobInputs>(AGENT_JOB_INPUTS, outputs);
}
