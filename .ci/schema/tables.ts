import { AGENT_JOB_INPUTS } from "../../dist/provider/agentJob/inputs.js";
import { AIR_GAP_KIT_INPUTS } from "../../dist/provider/kits/airGapKit/inputs.js";
import { BUNDLE_COPY_INPUTS } from "../../dist/provider/copies/bundleCopy/inputs.js";
import { DESTINATION_KINDS } from "../../dist/provider/copies/destinations/inputs.js";
import { STATIC_EXPORT_INPUTS } from "../../dist/provider/staticExport/inputs.js";
import type { Tables } from "./packageModel.ts";

/** The tables of inputs, from the build. */
export const TABLES: Tables = {
  resources: {
    StaticExport: STATIC_EXPORT_INPUTS,
    AgentJob: AGENT_JOB_INPUTS,
    BundleCopy: BUNDLE_COPY_INPUTS,
    AirGapKit: AIR_GAP_KIT_INPUTS,
  },
  destinations: DESTINATION_KINDS,
};
