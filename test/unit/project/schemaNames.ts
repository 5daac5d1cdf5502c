import schema from "../../../provider/adapters/plugin/schema.json" with { type: "json" };
import type { PythonCall } from "./pythonCalls.ts";

/** A resource that a program declares, or a function that it calls, and its inputs. */
export interface Declaration {
  /** `docs-hosting:StaticExport`, with or without `index:`. */
  readonly token: string;
  readonly given: Readonly<Record<string, unknown>>;
}

/** A type of the schema, as far as names need it. */
interface Type {
  readonly type?: string;
  readonly $ref?: string;
  readonly oneOf?: readonly Type[];
  readonly items?: Type;
  readonly additionalProperties?: Type;
  readonly properties?: Readonly<Record<string, Type>>;
  readonly enum?: readonly { readonly value: string }[];
}

interface Resource {
  readonly inputProperties: Readonly<Record<string, Type>>;
  readonly requiredInputs?: readonly string[];
  readonly properties: Readonly<Record<string, Type>>;
}

interface ProviderFunction {
  readonly inputs: {
    readonly properties: Readonly<Record<string, Type>>;
    readonly required?: readonly string[];
  };
  readonly outputs: { readonly properties: Readonly<Record<string, Type>> };
}

export const RESOURCES: Readonly<Record<string, Resource>> = schema.resources;
export const FUNCTIONS: Readonly<Record<string, ProviderFunction>> = schema.functions;
const TYPES: Readonly<Record<string, Type>> = schema.types;

/** The name of a property in Python. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** What a call in Python declares: `AgentJob`, or `installation_values_output`. */
export function declarationOf({ name, given }: PythonCall): Declaration {
  const tokens = [...Object.keys(RESOURCES), ...Object.keys(FUNCTIONS)];
  const plain = name.replace(/_output$/, "");
  const token = tokens.find((each) =>
    [each.split(":")[2], snakeCase(each.split(":")[2] ?? "")].includes(plain),
  );
  return { token: token ?? `docs-hosting:${name}`, given };
}

const whole = (token: string): string => token.replace(/^docs-hosting:(?!index:)/, "docs-hosting:index:");

/** The outputs that a program may read. */
export function outputsOf({ token }: Declaration): string[] {
  const found = RESOURCES[whole(token)]?.properties ?? FUNCTIONS[whole(token)]?.outputs.properties ?? {};
  return [...Object.keys(found), ...(RESOURCES[whole(token)] ? ["id", "urn"] : [])];
}

/** What the schema does not allow in a declaration. @param change how the language writes a name of the schema */
export function problemsOf({ token, given }: Declaration, change = (name: string): string => name): string[] {
  const resource = RESOURCES[whole(token)];
  const called = FUNCTIONS[whole(token)]?.inputs;
  const properties = resource?.inputProperties ?? called?.properties;
  if (properties === undefined) return [`there is no ${token}`];
  const where = token.split(":").at(-1) ?? token;
  const missing = (resource?.requiredInputs ?? called?.required ?? []).filter(
    (name) => !Object.hasOwn(given, change(name)),
  );
  return [
    ...missing.map((name) => `${where}.${change(name)} is required`),
    ...problemsOfObject(given, properties, where, change),
  ];
}

function problemsOfObject(
  given: Readonly<Record<string, unknown>>,
  properties: Readonly<Record<string, Type>>,
  where: string,
  change: (name: string) => string,
): string[] {
  const types = new Map(Object.entries(properties).map(([name, type]) => [change(name), type]));
  return Object.entries(given).flatMap(([name, value]) => {
    const type = types.get(name);
    const at = `${where}.${name}`;
    return type ? problemsOfValue(value, type, at, change) : [`${at} is not in the schema`];
  });
}

function problemsOfValue(
  value: unknown,
  type: Type,
  where: string,
  change: (name: string) => string,
): string[] {
  if (isReference(value)) return [];
  if (type.oneOf) {
    const each = type.oneOf.map((one) => problemsOfValue(value, one, where, change));
    return each.find((problems) => problems.length === 0) ?? each.at(-1) ?? [];
  }
  if (type.$ref === "pulumi.json#/Any") return [];
  const named = type.$ref === undefined ? type : TYPES[type.$ref.replace("#/types/", "")];
  if (named === undefined) return [`${where} has the unknown type ${type.$ref}`];
  if (named.enum) {
    return named.enum.some((each) => each.value === value) ? [] : [`${where} is no value of the enum`];
  }
  if (named.type === "array") {
    if (!Array.isArray(value)) return [`${where} is no list`];
    const { items = {} } = named;
    return value.flatMap((each, index) => problemsOfValue(each, items, `${where}.${index}`, change));
  }
  if (named.type === "object") {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${where} is no object`];
    return named.properties ? problemsOfObject({ ...value }, named.properties, where, change) : [];
  }
  const expected = named.type === "integer" ? "number" : named.type;
  return typeof value === expected ? [] : [`${where} is no ${expected ?? "known type"}`];
}

/** A value that only a run knows: `${docs.jobId}` in YAML, an expression in Python. */
function isReference(value: unknown): boolean {
  return typeof value === "symbol" || (typeof value === "string" && /^\$\{[^}]+\}$/.test(value));
}
