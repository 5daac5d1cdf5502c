import * as pulumi from "@pulumi/pulumi";
import { AgentJob, StaticExport } from "pulumi-docs-hosting";

const config = new pulumi.Config();

// The gate: waits until the agent's job is final. A job that failed is an error, and nothing is exported.
const job = new AgentJob("docs-agent", {
  projectId: config.require("projectId"),
  id: config.require("agentJobId"),
});

// The trigger does two things: the export waits for the job, and another pull request makes another export.
const docs = new StaticExport("docs", {
  domain: config.require("domain"),
  triggers: [job.prLink],
});

export const { prLink, status: agentStatus } = job;
export const { jobId, pageCount, expiresAt, renewAfter, bundleUrl } = docs;
