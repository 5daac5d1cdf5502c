import type * as pulumi from "@pulumi/pulumi";
import {
  AGENT_JOB_INPUTS,
  type AgentJobInputs,
  type CheckedAgentJobInputs,
} from "../provider/agentJob/inputs";
import type { AgentJobOutputs } from "../provider/agentJob/state";
import { ProvidedResource } from "./providedResource";
import { unset, type InputsOf, type OutputsOf } from "./resourceProperties";

/** Arguments of {@link AgentJob}: see {@link AgentJobInputs} for the meaning of each. */
export type AgentJobArgs = InputsOf<AgentJobInputs>;

/** Outputs that no input has: Pulumi makes properties of those that it is told of. */
const FROM_SERVICE: Record<Exclude<keyof AgentJobOutputs, keyof CheckedAgentJobInputs>, undefined> = {
  status: undefined,
  source: undefined,
  model: undefined,
  prLink: undefined,
  createdAt: undefined,
  archivedAt: undefined,
};

/** Values of the outputs of {@link AgentJob}. Pulumi's own `id` stands for `jobId`. */
type Outputs = OutputsOf<Omit<AgentJobOutputs, "jobId">>;

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
export class AgentJob extends ProvidedResource implements Outputs {
  /** The project given. */
  declare readonly projectId: Outputs["projectId"];
  /** `completed`, `archived` or `failed`. */
  declare readonly status: Outputs["status"];
  /** The source repository (empty when the service does not say), and the branch on which the agent worked. */
  declare readonly source: Outputs["source"];
  /** The AI model used for the job; empty when the service does not say. */
  declare readonly model: Outputs["model"];
  /** URL of the pull request that the agent created; `null` when no file was changed. */
  declare readonly prLink: Outputs["prLink"];
  /** When the job was created (ISO 8601); empty when the service does not say. */
  declare readonly createdAt: Outputs["createdAt"];
  /** When the job was archived (ISO 8601); `null` when it was not. */
  declare readonly archivedAt: Outputs["archivedAt"];
  /** Whether `failed` is accepted. */
  declare readonly acceptFailed: Outputs["acceptFailed"];
  /** Base URL of the service that has the job. */
  declare readonly baseUrl: Outputs["baseUrl"];
  /** Name of the environment variable with the API key. */
  declare readonly apiKeyEnv: Outputs["apiKeyEnv"];

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
        ...FROM_SERVICE,
      },
      opts,
    );
  }
}
