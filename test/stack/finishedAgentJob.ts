import type { AgentJob } from "../../examples/reference-service/index.ts";

/** A finished agent job, with every field of the service. */
export const FINISHED_AGENT_JOB: AgentJob = {
  id: "a1",
  status: "completed",
  source: { repository: "https://git.example.com/docs/site", ref: "agent/typos" },
  model: "model-7",
  prLink: "https://git.example.com/docs/site/pulls/4",
  createdAt: "2026-03-01T10:00:00.250Z",
  archivedAt: null,
};
