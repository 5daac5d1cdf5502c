import { AGENT_JOB_INPUTS } from "../../dist/provider/agentJob/inputs.js";
import { AGENT_JOB_OUTPUTS } from "../../dist/provider/agentJob/outputs.js";
import { BUNDLE_COPY_INPUTS } from "../../dist/provider/copies/bundleCopy/inputs.js";
import { BUNDLE_COPY_OUTPUTS } from "../../dist/provider/copies/bundleCopy/outputs.js";
import { AIR_GAP_KIT_INPUTS } from "../../dist/provider/kits/airGapKit/inputs.js";
import { AIR_GAP_KIT_OUTPUTS } from "../../dist/provider/kits/airGapKit/outputs.js";
import { DESTINATION_KINDS } from "../../dist/provider/publishing/destinations/inputs.js";
import { STATIC_EXPORT_INPUTS } from "../../dist/provider/staticExport/inputs.js";
import { STATIC_EXPORT_OUTPUTS } from "../../dist/provider/staticExport/outputs.js";
import type { Tables } from "./packageModel.ts";

/** The tables of inputs and outputs, from the build. */
export const TABLES: Tables = {
  resources: {
    StaticExport: { inputs: STATIC_EXPORT_INPUTS, outputs: STATIC_EXPORT_OUTPUTS },
    AgentJob: { inputs: AGENT_JOB_INPUTS, outputs: AGENT_JOB_OUTPUTS },
    BundleCopy: { inputs: BUNDLE_COPY_INPUTS, outputs: BUNDLE_COPY_OUTPUTS },
    AirGapKit: { inputs: AIR_GAP_KIT_INPUTS, outputs: AIR_GAP_KIT_OUTPUTS },
  },
  destinations: DESTINATION_KINDS,
};
