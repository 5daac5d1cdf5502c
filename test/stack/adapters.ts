// The two adapters of the provider: what programs declare resources by, and what makes them.
import { join } from "node:path";
import type { EngineKind } from "../engine/index.ts";

export type Adapter = "dynamic" | "native";

/** What a scenario runs on. */
export interface Setting {
  engine: EngineKind;
  adapter: Adapter;
}

const ROOT = join(import.meta.dirname, "../..");

/** The native plugin, by its package, for the settings of a stack. */
export const PLUGINS = { "docs-hosting": join(ROOT, "dist/provider/plugin.js") };

/** The type of a resource, by the name of its class. */
export const typeOf = (adapter: Adapter, name: string): string =>
  adapter === "native" ? `docs-hosting:index:${name}` : `pulumi-nodejs:dynamic/docs-hosting:${name}`;

/**
 * The adapters of a group of scenarios, in this run: the one that ADAPTER names, or both on the real CLI. Without either, `npm test`
 * has the native one only where a group says so: all rows with both would take over five minutes.
 *
 * @param supported the adapters that have what is tested
 * @param always whether `npm test` has both
 */
export function testedAdapters(
  supported: readonly Adapter[],
  always: boolean,
  env: NodeJS.ProcessEnv = process.env,
): Adapter[] {
  const forced = env["ADAPTER"] ?? "";
  if (!["", "dynamic", "native"].includes(forced)) {
    throw new Error(`ADAPTER must be "dynamic" or "native", not ${JSON.stringify(forced)}`);
  }
  if (forced !== "") return supported.filter((adapter) => adapter === forced);
  const [first] = supported;
  return always || env["ENGINE"] === "cli" || first === undefined ? [...supported] : [first];
}

const DYNAMIC_CLASSES = [
  "AirGapKit",
  "BundleCopy",
  "StaticExport",
  "staticExportValues",
  "AgentJob",
  "getAgentJob",
  "getAgentJobOutput",
];

const NATIVE_CLASSES = [
  "AirGapKit",
  "BundleCopy",
  "StaticExport",
  "AgentJob",
  "Provider",
  "getAgentJob",
  "getAgentJobOutput",
  "installationValues",
  "installationValuesOutput",
];

/** First lines of a program: what its adapter offers. */
export function declarations(adapter: Adapter, lines: string): string {
  if (adapter === "dynamic") {
    return `const { ${DYNAMIC_CLASSES.join(", ")} } = require("pulumi-docs-hosting");`;
  }
  const file = join(import.meta.dirname, "nativeProgram.cts");
  const classes = `const { ${NATIVE_CLASSES.join(", ")} } = require(${JSON.stringify(file)});`;
  // works on what either adapter makes
  const values = `const { staticExportValues } = require("pulumi-docs-hosting");`;
  return lines.includes("staticExportValues") ? `${classes}\n${values}` : classes;
}
