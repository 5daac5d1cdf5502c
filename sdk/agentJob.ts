import type * as pulumi from "@pulumi/pulumi";
import type { AgentJobInputs, CheckedAgentJobInputs } from "../provider/agentJob/inputs";
import { AGENT_JOB_OUTPUTS, type AgentJobOutputs } from "../provider/agentJob/outputs";
import {
  givenArgs,
  type InputNames,
  type InputsOf,
  isProvided,
  type OutputsOf,
  ProvidedResource,
} from "./providedResource";

/** Arguments of {@link AgentJob}: see {@link AgentJobInputs} for the meaning of each. */
export type AgentJobArgs = InputsOf<AgentJobInputs>;

const INPUTS: InputNames<CheckedAgentJobInputs> = {
  projectId: true,
  jobId: true,
  acceptFailed: true,
  baseUrl: true,
  apiKeyEnv: true,
};

// a property of the class for each output
export interface AgentJob extends OutputsOf<Omit<AgentJobOutputs, "jobId">> {}

/**
 * The job of an agent that works on a repository. The resource waits until the job is `completed`, `archived` or
 * `failed`; from then on only `pulumi refresh` reads the job. This lets an export depend on the agent's pull request.
 *
 * `failed` is an error unless `acceptFailed` is set. `completed` without a `prLink` is a normal end: the agent changed
 * no file. The resource option `customTimeouts` limits create and update (default: 30 minutes each). After a timeout,
 * the next `pulumi up` continues to wait. Destroying the resource does not affect the job.
 *
 * @example
 * const job = new AgentJob("docs-agent", { projectId: "my-project", id: "7f3a" });
 * const docs = new StaticExport("docs", { domain: "docs.example.com", triggers: [job.prLink] });
 */
export class AgentJob extends ProvidedResource {
  /** Whether a value is an AgentJob, also of another copy of this package. */
  static override isInstance(value: unknown): value is AgentJob {
    return isProvided(value, "AgentJob");
  }

  /**
   * @param name unique name of the resource in the stack
   * @param args the agent job to wait for
   * @param opts Pulumi's resource options
   */
  constructor(name: string, args: AgentJobArgs, opts: pulumi.CustomResourceOptions = {}) {
    const { id, ...given } = givenArgs(args);
    super(
      "AgentJob",
      name,
      { inputs: INPUTS, outputs: AGENT_JOB_OUTPUTS },
      { ...given, jobId: id }, // Pulumi reserves the name `id`
      opts,
    );
  }
}
