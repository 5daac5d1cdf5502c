import type { OutputTable } from "../resource/outputTable";
import type { AgentJob } from "../service/agentJob";
import type { CheckedAgentJobInputs } from "./inputs";

/** The fields that the service reported. */
export type OwnOutputs = Omit<AgentJob, "id">;

/** The outputs of an agent job: all inputs, and the fields that the service reported. */
export type AgentJobOutputs = CheckedAgentJobInputs & OwnOutputs;

/** One row per output that does not repeat an input. */
export const AGENT_JOB_OUTPUTS: OutputTable<OwnOutputs> = {
  status: {},
  source: {},
  model: {},
  prLink: {},
  createdAt: {},
  archivedAt: {},
};
