// What the generator of the plugin's schema refuses to translate; the schema itself shows what it translates.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Declarations } from "../../../../.ci/schema/declarations.ts";
import { ValueTypes } from "../../../../.ci/schema/valueTypes.ts";

const FIXTURE = `
export interface NumberOfNothing {
  /** How many. */
  count: number;
}
export interface Unnamed {
  /** A mode. */
  mode: "on" | "off";
}
export interface Untranslatable {
  /** A function. */
  call: () => void;
}
`;

const folder = mkdtempSync(join(tmpdir(), "schema-"));
writeFileSync(join(folder, "fixture.ts"), FIXTURE);
const declarations = new Declarations(folder, ["fixture.ts"], { alone: true });
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test.each([
  ["NumberOfNothing", 'count: a number\'s docstring begins with "Number of", or says that it is in bytes'],
  ["Unnamed", 'mode: give the type `"on" | "off"` a name and a docstring'],
  ["Untranslatable", "call: the type `() => void` has no translation"],
])("%s is an error that names the property", (name, message) => {
  const types = new ValueTypes(declarations);
  const translated = (): unknown =>
    declarations
      .propertiesOf(declarations.exported("fixture.ts", name))
      .map((each) => types.property(each, "input"));
  expect(translated).toThrow(message);
});
