import { explained } from "../base/runtime/messages/explainedError";
import { withoutSecrets } from "../base/runtime/messages/reporter";
import { checkedByTable } from "../resource/inputTable";
import { type ClientContext, openClient, READ_LIMIT_MS } from "../resource/lifeCycle";
import {
  type AgentJob,
  agentJobName,
  agentJobOutcome,
  isKnownStatus,
  missingFields,
} from "../service/agentJob";
import { AGENT_JOB_INPUTS } from "./inputs";

/**
 * Reads an agent job once: `GET /v2/agent/{projectId}/job/{id}`. No line and no error contains the values in the context's
 * `secrets`.
 *
 * @param given see `AgentJobLookupInputs`; unchecked
 * @throws InputError that names each wrong input, before any request; otherwise a DocsHostingError that explains what went
 *   wrong, for which job, and what to do
 */
export async function lookUpAgentJob(
  context: ClientContext,
  given: Readonly<Record<string, unknown>>,
): Promise<AgentJob> {
  const { secrets } = context;
  try {
    return await lookUp({ ...context, reporter: withoutSecrets(context.reporter, secrets) }, given);
  } catch (error) {
    secrets.removeFromError(error);
    throw error;
  }
}

async function lookUp(context: ClientContext, given: Readonly<Record<string, unknown>>): Promise<AgentJob> {
  const { id, ...others } = given;
  const what = "the agent job cannot be looked up";
  const inputs = checkedByTable(AGENT_JOB_INPUTS, { ...others, jobId: id }, context.configuration, what);
  try {
    const { job, missing } = await openClient(context, inputs, READ_LIMIT_MS).client.getAgentJob(inputs);
    if (!isKnownStatus(job.status) && agentJobOutcome(job.status) === "pending") {
      context.reporter.warn(`${agentJobName(inputs)} has the unknown status "${job.status}"`);
    }
    if (missing.length > 0) context.reporter.warn(missingFields(inputs, missing));
    return job;
  } catch (error) {
    throw explained(error, agentJobName(inputs), "");
  }
}
