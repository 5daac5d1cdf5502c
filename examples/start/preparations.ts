import type { ReferenceService } from "../reference-service/index.ts";

/** What an example finds when it runs. */
export interface Preparation {
  /** Of its stack. */
  config: Record<string, string>;
  /** What the service was given for it: one line for the user. */
  notice: string;
}

/** How long the agent is at work, in milliseconds: `pulumi up` takes a moment to ask, and then is seen to wait. */
const AGENT_JOB_DURATION_MS = 6_000;

const PREPARATIONS: Readonly<Record<string, (service: ReferenceService, domain: string) => Preparation>> = {
  "agent-gate": ({ agentJobs }, domain) => {
    const projectId = "docs-team";
    const prLink = "https://git.example.com/docs/site/pull/1";
    const { id } = agentJobs.create(projectId, {
      id: "agent-1",
      endsAfterMs: AGENT_JOB_DURATION_MS,
      outcome: "completed",
      prLink,
    });
    const seconds = AGENT_JOB_DURATION_MS / 1000;
    return {
      config: { projectId, agentJobId: id, domain },
      notice: `agent job ${id} is at work; in ${seconds} s it opens ${prLink}`,
    };
  },
};

/** Gives the service and the stack what an example needs; undefined when it needs nothing. */
export function prepareExample(
  example: string,
  service: ReferenceService,
  domain: string,
): Preparation | undefined {
  return PREPARATIONS[example]?.(service, domain);
}
