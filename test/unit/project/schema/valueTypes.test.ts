// How the generator of the plugin's schema translates TypeScript, on a file of its own.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Declarations } from "../../../../.ci/schema/declarations.ts";
import { withDefault } from "../../../../.ci/schema/docstring.ts";
import type { Property } from "../../../../.ci/schema/model.ts";
import { ValueTypes, type Direction } from "../../../../.ci/schema/valueTypes.ts";

const FIXTURE = `
export interface Plain {
  /** A text. */
  text: string;
  /** Number of pages. */
  count?: number;
  /** Size in bytes. */
  size: number;
  /** Anything. */
  any: unknown;
  /** A list. */
  list: readonly (readonly string[])[];
  /** A map. */
  map?: Readonly<Record<string, boolean>>;
  /** May be \`null\`. */
  empty: string | null;
  /** With fields. */
  nested: Required<Nested>;
  /** A string that stands for an object. */
  chart: string | Nested;
}

/** With a field. */
interface Nested extends Inherited {}

interface Inherited {
  /** A field.
   * @default "x": as nobody gives it
   */
  field?: string;
}

/** One of two. */
type Mode = "on" | "off";

export interface Modes {
  /** A mode. */
  mode: Mode;
}

/** A shop: by \`street\`, or by \`url\`. */
type ShopInputs = Street | Online;

interface Street {
  /** The street. */
  street: string;
  /** The name. */
  name: string;
  /** When it opens. @default 9 */
  opens?: string;
}

interface Online {
  /** The address. */
  url: string;
  /** The name. */
  name: string;
  /** Never needed. */
  opens?: string;
  /** Whether it delivers. */
  delivers?: boolean;
}

export interface Shops {
  /** A shop. */
  shop: ShopInputs;
}

export interface Documented {
  /**
   * First line,
   * second line, see {@link Plain} and {@link Plain | the plain one}.
   *
   * Another paragraph:
   * - an item
   *   of two lines
   * - another
   *
   * @default none
   * @example
   * const x = 1;
   */
  text?: string;
}

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

function translated(name: string, direction: Direction = "input") {
  const types = new ValueTypes(declarations);
  const properties = declarations
    .propertiesOf(declarations.exported("fixture.ts", name))
    .map((each) => types.property(each, direction));
  return { objects: types.objects, enums: types.enums, properties };
}
const kinds = (properties: readonly Property[]) =>
  properties.map(({ name, type, isRequired }) => `${name}${isRequired ? "" : "?"}: ${JSON.stringify(type)}`);

test("each type has one that every language can express; what may be null or absent is not required", () => {
  const { properties, objects } = translated("Plain");
  expect(kinds(properties)).toEqual([
    'text: {"kind":"string"}',
    'count?: {"kind":"integer"}',
    'size: {"kind":"number"}',
    'any: {"kind":"any"}',
    'list: {"kind":"list","of":{"kind":"list","of":{"kind":"string"}}}',
    'map?: {"kind":"map","of":{"kind":"boolean"}}',
    'empty?: {"kind":"string"}',
    'nested: {"kind":"object","name":"Nested"}',
    'chart: {"kind":"string"}',
  ]);
  expect(objects).toEqual({
    Nested: {
      text: "With a field.",
      fields: [
        {
          name: "field",
          type: { kind: "string" },
          isRequired: false,
          text: "A field.",
          default: '"x": as nobody gives it',
        },
      ],
    },
  });
});

test("a named union of strings is an enumeration as an input, and any string as an output", () => {
  const input = translated("Modes");
  expect(kinds(input.properties)).toEqual(['mode: {"kind":"enum","name":"Mode"}']);
  expect(input.enums).toEqual({ Mode: { text: "One of two.", values: ["on", "off"] } });
  const output = translated("Modes", "output");
  expect(kinds(output.properties)).toEqual(['mode: {"kind":"string"}']);
  expect(output.enums).toEqual({});
});

test("a union of objects is one object; each field says which kind it belongs to, unless all have the same", () => {
  const { properties, objects } = translated("Shops");
  expect(kinds(properties)).toEqual(['shop: {"kind":"object","name":"Shop"}']);
  const fields = objects["Shop"]?.fields ?? [];
  expect(kinds(fields)).toEqual([
    'street?: {"kind":"string"}',
    'name: {"kind":"string"}',
    'opens?: {"kind":"string"}',
    'url?: {"kind":"string"}',
    'delivers?: {"kind":"boolean"}',
  ]);
  expect(fields.map((field) => withDefault(field))).toEqual([
    "The street.",
    "The name.",
    "With `street`: When it opens. Default: 9. With `url`: Never needed.",
    "The address.",
    "With `url`: Whether it delivers.",
  ]);
});

test("a docstring loses the width of its lines, its links and its tags, and keeps paragraphs and lists", () => {
  const { properties } = translated("Documented");
  expect(properties.map((property) => withDefault(property))).toEqual([
    "First line, second line, see `Plain` and the plain one.\n\n" +
      "Another paragraph:\n- an item of two lines\n- another\n\nDefault: none.",
  ]);
});

test.each([
  ["NumberOfNothing", 'count: a number\'s docstring begins with "Number of", or says that it is in bytes'],
  ["Unnamed", 'mode: give the type `"on" | "off"` a name and a docstring'],
  ["Untranslatable", "call: the type `() => void` has no translation"],
])("%s is an error that names the property", (name, message) => {
  expect(() => translated(name)).toThrow(message);
});
