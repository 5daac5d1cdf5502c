export { type AgentJob, type AgentJobStatus } from "./agentJob.ts";
export { type AgentJobs, type NewAgentJob } from "./agentJobs.ts";
export { type InterceptedRequest, type Interceptor, type InterceptorReply } from "./intercept.ts";
export { type LoggedRequest } from "./requestLog.ts";
export { type ReferenceService, type ReferenceServiceOptions, startReferenceService } from "./service.ts";
export { type Site } from "./sites.ts";
export { type RenderedSite, type RenderOptions, renderSite } from "./site/renderSite.ts";
export { packArchive } from "./site/archive.ts";
