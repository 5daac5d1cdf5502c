export { AgentJob, type AgentJobArgs } from "./agentJob";
export {
  getAgentJob,
  getAgentJobOutput,
  type GetAgentJobArgs,
  type GetAgentJobOutputArgs,
  type GetAgentJobResult,
} from "./getAgentJob";
export type { AgentJobSource, AgentJobStatus } from "../provider/agentJob";
export { StaticExport, type StaticExportArgs, type StaticExportLookup } from "./staticExport";
export { staticExportValues, type StaticExportValues } from "./staticExportValues";
export { featureSupport, type DeploymentKind, type Feature, type FeatureSupport } from "./featureSupport";
