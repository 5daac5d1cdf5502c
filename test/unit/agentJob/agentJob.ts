import { beforeEach } from "vitest";
import type { CheckedAgentJobInputs } from "../../../provider/agentJob/inputs.ts";
import { agentJob } from "../../../provider/agentJob/lifeCycle.ts";
import type { AgentJobState } from "../../../provider/agentJob/state.ts";
import type { Context } from "../../../provider/resource/context.ts";
import { decisionLine } from "../../../provider/resource/decision.ts";
import { COMPLETED_JOB } from "../../simulation/agentJobReply.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { scriptedFetch, type ScriptedReply } from "../../simulation/scriptedFetch.ts";
import { testContext } from "../../simulation/testContext.ts";
import { VirtualClock } from "../../simulation/virtualClock.ts";

export const INPUTS: CheckedAgentJobInputs = {
  projectId: "p1",
  jobId: "a1",
  acceptFailed: false,
  baseUrl: "https://api.example.test",
  apiKeyEnv: "DOCS_HOSTING_ADMIN_API_KEY",
};

export const JOB = { ...COMPLETED_JOB, status: "active", prLink: null };

export const NAME = "agent job a1 of project p1";

export let clock: VirtualClock;

export let reporter: ReturnType<typeof recordingReporter>;

/** The service's present answer. */
let answer: () => ScriptedReply;

/** From now on, the service answers so. */
export function answerWith(next: () => ScriptedReply): void {
  answer = next;
}

export let scripted: ReturnType<typeof scriptedFetch>;

/** Each test has a job, and a service, of its own. */
export function withJob(): void {
  beforeEach(() => {
    clock = new VirtualClock();
    reporter = recordingReporter();
    answer = () => ({ body: JOB });
    scripted = scriptedFetch(() => answer());
  });
}

export const context = (more: { signal?: AbortSignal } = {}): Context =>
  testContext({ fetch: scripted.fetch, clock, reporter, ...more });

/** Active until then, in milliseconds; then this. */
export const endsAs = (changes: object, afterMs: number) => (): ScriptedReply => ({
  body: { ...JOB, ...(clock.monotonic() >= afterMs && changes) },
});

export const create = (inputs = INPUTS, limitMs?: number): Promise<AgentJobState> =>
  clock.run(agentJob.create(context(), inputs, limitMs));

export const update = (state: AgentJobState, inputs = INPUTS): Promise<AgentJobState> =>
  clock.run(agentJob.update(context(), state, inputs));

export const MACHINE = { name: "build-agent", nowMs: 0 };

/** A diff, with the whole line of its decision. */
export const verdict = (state: AgentJobState, changes: Partial<CheckedAgentJobInputs> = {}): unknown => {
  const { changed, replaces, hidden, decision } = agentJob.diff({ ...INPUTS, ...changes }, state, MACHINE);
  return { changed, replaces, hidden, decided: decisionLine(decision) };
};

export const SAME = { changed: [], replaces: [], hidden: false };
