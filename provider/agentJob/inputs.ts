import { text, type InputTable } from "../resource/inputTable";
import { SERVICE_INPUTS, type ServiceInputs } from "../resource/serviceInputs";
import type { AgentJobKey } from "../service/agentJob";
import { isIdentifier } from "../service/identifier";

/** What an agent job is found by, and with which key. */
export interface AgentJobLookupInputs extends AgentJobKey, ServiceInputs {}

/** The inputs of an agent job, as plain values. The one source of their names and effects. */
export interface AgentJobInputs extends AgentJobLookupInputs {
  /**
   * Whether a job that ends as `failed` is a normal end, to be told by `status`.
   *
   * @default false: it is an error
   */
  acceptFailed?: boolean;
}

/** Inputs after check, defaults filled in. Pulumi keeps the name `id` for itself, so here it is `jobId`. */
export interface CheckedAgentJobInputs extends Required<Omit<AgentJobInputs, "id">> {
  jobId: string;
}

const IDENTIFIER = text((value) =>
  isIdentifier(value)
    ? { value }
    : { problem: "is not an identifier: visible ASCII characters, at most 512 of them" },
);

/** One row an input: its rule, its default, and what a change of it means. */
export const AGENT_JOB_INPUTS: InputTable<CheckedAgentJobInputs> = {
  projectId: {
    change: "replaces",
    required: "the project identifier, which the dashboard's API keys page shows",
    rule: IDENTIFIER,
  },
  jobId: {
    change: "replaces",
    publicName: "id",
    required: "the identifier of the agent job",
    rule: IDENTIFIER,
  },
  acceptFailed: {
    change: "remembered",
    default: false,
    rule: (value) => (typeof value === "boolean" ? { value } : { problem: "must be true or false" }),
  },
  ...SERVICE_INPUTS,
};
