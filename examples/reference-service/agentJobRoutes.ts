import type { FastifyInstance } from "fastify";
import type { AgentJobs } from "./agentJobs.ts";
import { Refusal } from "./refusal.ts";

export function addAgentJobRoutes(app: FastifyInstance, agentJobs: AgentJobs): void {
  app.get<{ Params: { projectId: string; id: string } }>("/v2/agent/:projectId/job/:id", (request) => {
    const { projectId, id } = request.params;
    const job = agentJobs.get(projectId, id);
    if (!job) throw new Refusal(404, `there is no agent job ${id} in project ${projectId}`);
    return job;
  });
}
