import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readModel, referencePages, SCHEMA_FILE, schemaText } from "../../../../.ci/schema/schemaFile.ts";

const model = readModel();

test("the schema of the plugin is what the sources say; else `npm run schema` writes it", () => {
  expect(readFileSync(SCHEMA_FILE, "utf8")).toBe(schemaText(model));
});

test("the tables of the reference are what the sources say; else `npm run schema` writes them", async () => {
  const pages = await referencePages(model);
  expect(pages.size).toBeGreaterThan(5);
  for (const [file, text] of pages) expect(readFileSync(file, "utf8")).toBe(text);
});
