import type { AgentJob } from "../service/agentJob";
import { inputsAmong } from "../resource/inputTable";
import { UNKNOWN } from "../runtime/messages/plainText";
import { AGENT_JOB_INPUTS, type CheckedAgentJobInputs } from "./inputs";

/** The outputs of an agent job: all inputs, and the fields that the service reported. */
export type AgentJobOutputs = CheckedAgentJobInputs & Omit<AgentJob, "id">;

/** The state of an agent job between two operations: the outputs and no bookkeeping. */
export interface AgentJobState {
  outputs: AgentJobOutputs;
  bookkeeping: Readonly<Record<string, never>>;
}

/** The state after a read of the job. */
export function observedState(inputs: CheckedAgentJobInputs, job: AgentJob): AgentJobState {
  const { status, source, model, prLink, createdAt, archivedAt } = job;
  return {
    outputs: { ...inputs, status, source, model, prLink, createdAt, archivedAt },
    bookkeeping: {},
  };
}

/** The fields of a job before it is read. */
export const NOT_OBSERVED: Record<keyof Omit<AgentJob, "id">, string> = {
  status: UNKNOWN,
  source: UNKNOWN,
  model: UNKNOWN,
  prLink: UNKNOWN,
  createdAt: UNKNOWN,
  archivedAt: UNKNOWN,
};

/** The inputs that a state was made from. */
export function inputsOf({ outputs }: AgentJobState): CheckedAgentJobInputs {
  // of a damaged state: the adapter says what to do
  for (const name of ["baseUrl", "projectId", "jobId"] as const)
    if (typeof outputs[name] !== "string") throw new TypeError(`the state has no ${name}`);
  return inputsAmong<CheckedAgentJobInputs>(AGENT_JOB_INPUTS, outputs);
}
