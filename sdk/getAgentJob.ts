import * as pulumi from "@pulumi/pulumi";
import type { AgentJobLookupInputs } from "../provider/agentJob/inputs";
import type { AgentJob } from "../provider/service/agentJob";
import { programContext } from "./programContext";
import type { InputsOf } from "./providedResource";
import { warnOfPlainKey } from "./registration";

/** Arguments of {@link getAgentJob}: see {@link AgentJobLookupInputs} for the meaning of each. */
export type GetAgentJobArgs = {
  [Name in keyof AgentJobLookupInputs]:
    AgentJobLookupInputs[Name] | (undefined extends AgentJobLookupInputs[Name] ? undefined : never);
};

/** Arguments of {@link getAgentJobOutput}. */
export type GetAgentJobOutputArgs = InputsOf<AgentJobLookupInputs>;

/** An agent job as the service reports it: exactly its fields, with dates as ISO 8601 text. */
export type GetAgentJobResult = AgentJob;

/**
 * Reads an agent job once, also in previews, by `GET /v2/agent/{projectId}/job/{id}`. It does not wait. To wait for a job,
 * and to read it no more once it is final, use the resource {@link AgentJob}.
 *
 * @throws InputError for wrong arguments or configuration, before any request; NotFoundError when the job does not exist;
 *   another DocsHostingError when the service gave no usable answer within a minute
 */
export async function getAgentJob(args: GetAgentJobArgs): Promise<GetAgentJobResult> {
  warnOfPlainKey();
  const [{ lookUpAgentJob }, context] = await Promise.all([
    import("../provider/agentJob/lookUp.js"),
    programContext(),
  ]);
  return lookUpAgentJob(context, { ...args });
}

/**
 * {@link getAgentJob} for arguments that may be outputs. If an argument is unknown in a preview, no request is sent and
 * the result is unknown. If an argument is a secret, the result is a secret.
 */
export function getAgentJobOutput(args: GetAgentJobOutputArgs): pulumi.Output<GetAgentJobResult> {
  return pulumi.output(args).apply(getAgentJob);
}
