import { agentJobByStoredNames } from "../../agentJob/lifeCycle";
import { bundleCopy } from "../../copies/bundleCopy/lifeCycle";
import { airGapKit } from "../../kits/airGapKit/lifeCycle";
import { staticExport } from "../../staticExport/lifeCycle";
import type { AnyLifeCycle } from "../session/storedProperties";

/** The type of a resource, as the engine names it. */
type ResourceToken = `docs-hosting:index:${"StaticExport" | "AgentJob" | "BundleCopy" | "AirGapKit"}`;

/** The life cycle of each resource type of the package. */
export const RESOURCES: Readonly<Record<ResourceToken, AnyLifeCycle>> = {
  "docs-hosting:index:StaticExport": staticExport,
  "docs-hosting:index:AgentJob": agentJobByStoredNames,
  "docs-hosting:index:BundleCopy": bundleCopy,
  "docs-hosting:index:AirGapKit": airGapKit,
};
