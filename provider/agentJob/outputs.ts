import type { OutputTable } from "../resource/outputTable";
import type { AgentJob } from "../service/agentJob";
import type { CheckedAgentJobInputs } from "./inputs";

/** The fields that the service reported. */
export type AgentJobOwnOutputs = Omit<AgentJob, "id">;

/** The outputs of an agent job: all inputs, and the fields that the service reported. */
export type AgentJobOutputs = CheckedAgentJobInputs & AgentJobOwnOutputs;

/** One row per output that does not repeat an input. */
export const AGENT_JOB_OUTPUTS: OutputTable<AgentJobOwnOutputs> = {
  status: {},
  source: {},
  model: {},
  prLink: {},
  createdAt: {},
  archivedAt: {},
};
