import type * as pulumi from "@pulumi/pulumi";
import {
  AGENT_JOB_INPUTS,
  type AgentJobInputs,
  type CheckedAgentJobInputs,
} from "../provider/agentJob/inputs";
import type { AgentJobOutputs } from "../provider/agentJob/state";
import { ProvidedResource } from "./providedResource";
import { unset, type InputsOf, type OutputsOf, type OwnOutputs } from "./resourceProperties";

/** Arguments of {@link AgentJob}: see {@link AgentJobInputs} for the meaning of each. */
export type AgentJobArgs = InputsOf<AgentJobInputs>;

const OWN_OUTPUTS: OwnOutputs<AgentJobOutputs, CheckedAgentJobInputs> = {
  status: undefined,
  source: undefined,
  model: undefined,
  prLink: undefined,
  createdAt: undefined,
  archivedAt: undefined,
};

// a property of the class for each output
export interface AgentJob extends OutputsOf<Omit<AgentJobOutputs, "jobId">> {}

/**
 * The job of an agent that works on a repository: waited for until it is `completed`, `archived` or `failed`, and then
 * never asked for again, but by `pulumi refresh`. So that an export can depend on the agent's pull request.
 *
 * `failed` is an error, unless `acceptFailed` is set. `completed` without a `prLink` is a normal end: no file was
 * changed. The resource option `customTimeouts` limits create and update (default: 30 minutes each); the next
 * `pulumi up` goes on waiting. Destroying it leaves the job alone.
 *
 * @example
 * const job = new AgentJob("docs-agent", { projectId: "my-project", id: "7f3a" });
 * const docs = new StaticExport("docs", { domain: "docs.example.com", triggers: [job.prLink] });
 */
export class AgentJob extends ProvidedResource {
  /**
   * @param name unique name of the resource in the stack
   * @param args which agent job
   * @param opts Pulumi's resource options
   */
  constructor(name: string, args: AgentJobArgs, opts: pulumi.CustomResourceOptions = {}) {
    const { id, ...given } = args;
    super(
      "AgentJob",
      name,
      {
        ...unset(AGENT_JOB_INPUTS),
        ...given,
        jobId: id, // Pulumi keeps the name `id` for itself
        ...OWN_OUTPUTS,
      },
      opts,
    );
  }
}
