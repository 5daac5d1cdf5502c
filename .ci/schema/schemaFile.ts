import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { withDecisionCodes } from "./decisionCodes.ts";
import type { PackageModel } from "./model.ts";
import { packageModel } from "./packageModel.ts";
import { type PackageFacts, packageSchema } from "./packageSchema.ts";
import { tablesOf, withTables } from "./referenceTables.ts";
import { TABLES } from "./tables.ts";
import { withTestedVersions } from "./testedVersions.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The schema that the plugin imports. */
export const SCHEMA_FILE = join(ROOT, "provider/adapters/plugin/schema.json");

/** What the sources say of the package. */
export function readModel(): PackageModel {
  return packageModel(ROOT, TABLES);
}

/** The text of the schema. */
export function schemaText(model: PackageModel): string {
  const facts = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as PackageFacts;
  return `${JSON.stringify(packageSchema(model, facts), undefined, 2)}\n`;
}

/**
 * The pages of the reference by their paths, with the tables of inputs, outputs and versions.
 *
 * @throws when no page has the inputs or the outputs of a resource
 */
export async function referencePages(model: PackageModel): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  for (const path of globSync("docs/reference/*.md", { cwd: ROOT }).sort()) {
    const file = join(ROOT, path);
    const page = withDecisionCodes(readFileSync(file, "utf8"));
    const text = withTestedVersions(withTables(page, model), ROOT);
    pages.set(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
  }
  const tables = [...pages.values()].flatMap(tablesOf);
  const wanted = Object.keys(model.resources).flatMap((name) => [`inputs of ${name}`, `outputs of ${name}`]);
  const missing = wanted.filter((name) => !tables.includes(name));
  if (missing.length > 0) throw new Error(`no page of docs/reference has the table: ${missing.join(", ")}`);
  return pages;
}
