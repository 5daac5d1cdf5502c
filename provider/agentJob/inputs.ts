import type { AgentJobKey } from "../service/agentJob";
import type { ConfigurationSource } from "../service/configuration";
import { InputRules, SERVICE_INPUTS, type CheckFailure, type ServiceInputs } from "../resource/inputRules";
import { isIdentifier } from "../service/identifier";

/** What an agent job is found by, and with which key. */
export interface AgentJobLookupInputs extends AgentJobKey, ServiceInputs {}

/** The inputs of an agent job, as plain values. The one source of their names and meanings. */
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

const NAMES = ["projectId", "jobId", "acceptFailed", ...SERVICE_INPUTS] as const;

/** @see LifeCycle.check */
export function checkAgentJobInputs(
  given: Readonly<Record<string, unknown>>,
  configuration: ConfigurationSource,
): { inputs: CheckedAgentJobInputs; failures: CheckFailure[] } {
  const rules = new InputRules(given, NAMES, { jobId: "id" });
  const { inputs, failures } = rules;
  rules.required("projectId", "the project identifier, which the dashboard's API keys page shows");
  rules.required("jobId", "the identifier of the agent job");
  for (const name of ["projectId", "jobId"] as const) {
    rules.text(name, (value) =>
      isIdentifier(value)
        ? value
        : rules.fail(name, "is not an identifier: visible ASCII characters, at most 512 of them"),
    );
  }
  const acceptFailed = rules.known("acceptFailed");
  if (acceptFailed !== undefined && typeof acceptFailed !== "boolean") {
    rules.fail("acceptFailed", "must be true or false");
  }
  inputs.acceptFailed ??= false;
  rules.service(configuration);
  return { inputs: inputs as unknown as CheckedAgentJobInputs, failures };
}
