export { StaticExport, type StaticExportArgs } from "./staticExport";
export { staticExportValues, type StaticExportValues } from "./staticExportValues";
