import { agentJobByStoredNames } from "../../agentJob/lifeCycle";
import { bundleCopy } from "../../copies/bundleCopy/lifeCycle";
import { airGapKit } from "../../kits/airGapKit/lifeCycle";
import { staticExport } from "../../staticExport/lifeCycle";

/** The life cycle of each resource type of the package. */
export const RESOURCES = {
  "docs-hosting:index:StaticExport": staticExport,
  "docs-hosting:index:AgentJob": agentJobByStoredNames,
  "docs-hosting:index:BundleCopy": bundleCopy,
  "docs-hosting:index:AirGapKit": airGapKit,
};
