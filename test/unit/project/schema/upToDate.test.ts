import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SCHEMA_FILE, schemaText } from "../../../../.ci/schema/schemaFile.ts";

test("the schema of the plugin is what the sources say; else `npm run schema` writes it", () => {
  expect(readFileSync(SCHEMA_FILE, "utf8")).toBe(schemaText());
});
