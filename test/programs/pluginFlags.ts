import { readFileSync } from "node:fs";
import { join } from "node:path";

const LAUNCHER = "../../provider/adapters/plugin/launcher/pulumi-resource-docs-hosting";

/** The flags that the native plugin's launcher gives to Node.js. */
export function pluginFlags(): string[] {
  const text = readFileSync(join(import.meta.dirname, LAUNCHER), "utf8");
  return /^exec node ((?:--\S+ )+)/m.exec(text)?.[1]?.trim().split(" ") ?? [];
}
