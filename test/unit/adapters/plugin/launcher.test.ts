import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pluginFlags } from "../../../programs/pluginFlags.ts";

const FOLDER = join(import.meta.dirname, "../../../../provider/adapters/plugin/launcher");

test("however Pulumi starts the plugin, its Node.js gets the same flags", () => {
  const starting = readdirSync(FOLDER).filter((file) => !["index.js", "package.json"].includes(file));
  expect(starting.sort()).toEqual([
    "PulumiPlugin.yaml",
    "pulumi-resource-docs-hosting",
    "pulumi-resource-docs-hosting.cmd",
  ]);
  for (const file of starting) {
    const text = readFileSync(join(FOLDER, file), "utf8");
    expect([file, text.match(/--[a-z][\w-]*=\S+/g)]).toEqual([file, pluginFlags()]);
  }
});

test("the same flags have an effect from NODE_OPTIONS, for programs in TypeScript", () => {
  const script = 'console.log(require("node:v8").getHeapStatistics().heap_size_limit)';
  const limit = (NODE_OPTIONS: string): number =>
    Number(execFileSync(process.execPath, ["-e", script], { env: { NODE_OPTIONS } }));
  expect(limit(pluginFlags().join(" "))).toBeLessThan(limit(""));
});
