import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageModel } from "./packageModel.ts";
import { packageSchema, type PackageFacts } from "./packageSchema.ts";
import { TABLES } from "./tables.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The schema that the plugin imports. */
export const SCHEMA_FILE = join(ROOT, "provider/adapters/plugin/schema.json");

/** The text of the schema as the sources have it. */
export function schemaText(): string {
  const facts = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as PackageFacts;
  return `${JSON.stringify(packageSchema(packageModel(ROOT, TABLES), facts), undefined, 2)}\n`;
}
