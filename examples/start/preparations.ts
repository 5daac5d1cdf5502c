import type { ReferenceService } from "../reference-service/index.ts";
import { startRegistryWithBase } from "./registry.ts";

/** What an example needs when it runs. */
export interface Preparation {
  /** Of its stack. */
  config: Record<string, string>;
  /** What the service got for it: one line for the user. */
  notice: string;
  /** Ends what was started for it. */
  close?: () => Promise<void>;
}

/** What the run of an example already has. */
export interface Given {
  service: ReferenceService;
  domain: string;
  /** For copies. */
  folder: string;
  say: (what: string) => void;
}

type Prepare = (given: Given) => Preparation | Promise<Preparation>;

/** The duration of the agent's job in milliseconds: long enough to see `pulumi up` wait for it. */
const AGENT_JOB_DURATION_MS = 3_000;

const PREPARATIONS: Readonly<Record<string, Prepare>> = {
  "air-gapped": async ({ domain, say }) => {
    const { host, base, close } = await startRegistryWithBase(say);
    return {
      config: { domain, repository: `${host}/docs/site`, base, install: "false" },
      notice: `a registry at ${host}; nothing is installed, for that takes a cluster: see examples/air-gapped/README.md`,
      close,
    };
  },
  documentation: ({ domain, folder }) => ({
    config: { domain, folder },
    notice: `the copy is written to ${folder}`,
  }),
  "agent-gate": ({ service, domain }) => {
    const projectId = "docs-team";
    const agentJobId = "agent-1";
    const prLink = "https://git.example.com/docs/site/pull/1";
    // the agent begins at the first request for it: a slow machine also waits
    const stopIntercepting = service.intercept(({ path }) => {
      if (path === `/v2/agent/${projectId}/job/${agentJobId}`) {
        stopIntercepting();
        service.agentJobs.create(projectId, { id: agentJobId, endsAfterMs: AGENT_JOB_DURATION_MS, prLink });
      }
      return undefined;
    });
    return {
      config: { projectId, agentJobId, domain },
      notice: `agent job ${agentJobId} takes ${AGENT_JOB_DURATION_MS / 1000} s and then opens ${prLink}`,
    };
  },
};

/** Gives the service and the stack what an example needs; undefined when it needs nothing. */
export async function prepareExample(example: string, given: Given): Promise<Preparation | undefined> {
  return PREPARATIONS[example]?.(given);
}
