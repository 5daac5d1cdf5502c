export { StaticExport, type StaticExportArgs, type StaticExportLookup } from "./staticExport";
export { staticExportValues, type StaticExportValues } from "./staticExportValues";
