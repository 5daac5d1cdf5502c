import "../provider/adapters/session/nodeVersion"; // first: see there
export { AgentJob, type AgentJobArgs } from "./agentJob";
export {
  getAgentJob,
  getAgentJobOutput,
  type GetAgentJobArgs,
  type GetAgentJobOutputArgs,
  type GetAgentJobResult,
} from "./getAgentJob";
export type { AgentJobSource, AgentJobStatus } from "../provider/service/agentJob";
export {
  StaticExport,
  type StaticExportArgs,
  type StaticExportLookup,
  type UnmanagedStaticExport,
} from "./staticExport";
export { AirGapKit, type AirGapKitArgs } from "./airGapKit";
export { BundleCopy, type BundleCopyArgs } from "./bundleCopy";
export type { EarlierCopy } from "../provider/copies/bundleCopy/outputs";
export type { ChangedFiles, SiteChanges } from "../provider/publishing/index";
export type { CopiedSite } from "./copiedSite";
export {
  staticExportValues,
  type BundleCopyValues,
  type SiteImage,
  type SiteImageValues,
  type StaticExportLink,
  type StaticExportLinkValues,
  type StaticExportValues,
} from "./staticExportValues";
export { fleetOutputs, type FleetMember, type FleetOutputs } from "./fleetOutputs";
export { featureSupport } from "./featureSupport";
export type { DeploymentKind, Feature, FeatureSupport } from "../provider/installation/featureTable";
export * from "../provider/base/runtime/messages/errors";
