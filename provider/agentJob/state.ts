import type { AgentJob } from "../service/agentJob";
import { inputNames } from "../resource/inputTable";
import { AGENT_JOB_INPUTS, type CheckedAgentJobInputs } from "./inputs";

/** The outputs of an agent job: all inputs, and what the service said. */
export type AgentJobOutputs = CheckedAgentJobInputs & Omit<AgentJob, "id">;

/** All that is kept of an agent job between two operations: the outputs tell everything. */
export interface AgentJobState {
  outputs: AgentJobOutputs;
  bookkeeping: Readonly<Record<string, never>>;
}

/** The state after a look. */
export function seenState(inputs: CheckedAgentJobInputs, job: AgentJob): AgentJobState {
  const { status, source, model, prLink, createdAt, archivedAt } = job;
  return {
    outputs: { ...inputs, status, source, model, prLink, createdAt, archivedAt },
    bookkeeping: {},
  };
}

/** The inputs that a state was made from. */
export function inputsOf({ outputs }: AgentJobState): CheckedAgentJobInputs {
  const names = inputNames(AGENT_JOB_INPUTS);
  return Object.fromEntries(names.map((name) => [name, outputs[name]])) as unknown as CheckedAgentJobInputs;
}
