export { StaticExport, type StaticExportArgs, type StaticExportLookup } from "./staticExport";
export { staticExportValues, type StaticExportValues } from "./staticExportValues";
export { featureSupport, type DeploymentKind, type Feature, type FeatureSupport } from "./featureSupport";
