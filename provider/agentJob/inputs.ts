import { ruleOfId } from "../resource/inputRules";
import { type InputTable, ruleOfSwitch } from "../resource/inputTable";
import { SERVICE_INPUTS, type ServiceInputs } from "../resource/serviceInputs";

/** Inputs that identify an agent job, the service and the API key. */
export interface AgentJobLookupInputs extends ServiceInputs {
  /** The project identifier: the dashboard's API keys page shows it. */
  projectId: string;
  /** The agent job's `id`. */
  id: string;
}

/** The inputs of an agent job, as plain values. The only definition of their names and effects. */
export interface AgentJobInputs extends AgentJobLookupInputs {
  /**
   * Accept a job that ends as `failed`: the output `status` reports it.
   *
   * @default false: a failed job is an error
   */
  acceptFailed?: boolean;
}

/** Inputs after check, with defaults filled in. Pulumi reserves the name `id`, so it is `jobId` here. */
export interface CheckedAgentJobInputs extends Required<Omit<AgentJobInputs, "id">> {
  jobId: string;
}

const IDENTIFIER = ruleOfId("an identifier");

/** One row per input, by the names that the state has: its rule, its default, and the effect of a change. */
export const STORED_AGENT_JOB_INPUTS: InputTable<CheckedAgentJobInputs> = {
  projectId: {
    change: "replaces",
    required: "the project identifier, which the dashboard's API keys page shows",
    rule: IDENTIFIER,
  },
  jobId: {
    change: "replaces",
    required: "the identifier of the agent job",
    rule: IDENTIFIER,
  },
  acceptFailed: {
    change: "remembered",
    default: false,
    rule: ruleOfSwitch,
  },
  ...SERVICE_INPUTS,
};

/** The same for programs in TypeScript, which give the job as `id`. */
export const AGENT_JOB_INPUTS: typeof STORED_AGENT_JOB_INPUTS = {
  ...STORED_AGENT_JOB_INPUTS,
  jobId: { ...STORED_AGENT_JOB_INPUTS.jobId, publicName: "id" },
};
