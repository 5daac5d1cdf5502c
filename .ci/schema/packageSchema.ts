import { withDefault } from "./docstring.ts";
import type {
  EnumModel,
  FunctionModel,
  ObjectModel,
  PackageModel,
  Property,
  ResourceModel,
  ValueType,
} from "./model.ts";

/** Name of the package: the first part of each token. */
const PACKAGE = "docs-hosting";

const token = (name: string): string => `${PACKAGE}:index:${name}`;

/** What the npm package says about itself. */
export interface PackageFacts {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly author: string;
}

/**
 * The schema of the Pulumi package, see https://www.pulumi.com/docs/iac/guides/building-extending/packages/schema/. The build adds the
 * address of a release.
 */
export function packageSchema(model: PackageModel, facts: PackageFacts): object {
  const settings = propertiesOf(model.configuration);
  return {
    $schema: "https://raw.githubusercontent.com/pulumi/pulumi/master/pkg/codegen/schema/pulumi.json",
    name: PACKAGE,
    displayName: "Documentation hosting",
    version: facts.version,
    description: facts.description,
    keywords: ["pulumi", "category/utility", "kind/native", "documentation", "static-export"],
    license: facts.license,
    publisher: facts.author,
    // the generator of the Java SDK refuses a schema without one; a release names its own
    repository: "https://example.com/pulumi-docs-hosting",
    language: LANGUAGES,
    config: { variables: settings },
    provider: {
      description:
        "Settings of a provider: the service, and the key that it accepts. Without an explicit provider, programs have the " +
        "settings of the stack's configuration.",
      inputProperties: settings,
      properties: settings,
    },
    types: {
      ...mapValues(model.objects, objectSpec),
      ...mapValues(model.enums, enumSpec),
    },
    resources: mapValues(model.resources, resourceSpec),
    functions: mapValues(model.functions, functionSpec),
  };
}

/** What each language needs to know. A generated SDK has the version of the plugin, so that it asks for that one. */
const LANGUAGES = {
  // the npm package of the dynamic provider is `pulumi-docs-hosting`
  nodejs: { packageName: "@pulumi-docs-hosting/docs-hosting", respectSchemaVersion: true },
  python: { packageName: "pulumi_docs_hosting", pyproject: { enabled: true }, respectSchemaVersion: true },
  go: {
    // an SDK is a folder of the program, which `go.mod` replaces this path by
    importBasePath: "example.com/pulumi-docs-hosting/sdk/go/docshosting",
    rootPackageName: "docshosting",
    respectSchemaVersion: true,
  },
  csharp: { namespaces: { [PACKAGE]: "DocsHosting" }, respectSchemaVersion: true },
  java: { buildFiles: "gradle" },
};

function resourceSpec({ text, inputs, outputs }: ResourceModel, name: string): object {
  return {
    description: text,
    properties: propertiesOf(outputs),
    required: requiredOf(outputs),
    inputProperties: propertiesOf(inputs),
    requiredInputs: requiredOf(inputs),
    // a stack moves from the dynamic provider to the plugin without a replacement
    aliases: [{ type: `pulumi-nodejs:dynamic/${PACKAGE}:${name}` }],
  };
}

function functionSpec({ text, inputs, outputs }: FunctionModel): object {
  return { description: text, inputs: objectOf(inputs), outputs: objectOf(outputs) };
}

function objectSpec({ text, fields }: ObjectModel): object {
  return { description: text, ...objectOf(fields) };
}

function enumSpec({ text, values }: EnumModel): object {
  return {
    description: text,
    type: "string",
    enum: values.map((value) => ({ name: constantName(value), value })),
  };
}

/** `client-hosted` is `ClientHosted`: Go would make `Client_hosted` of it. */
function constantName(value: string): string {
  return value.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
}

function objectOf(fields: readonly Property[]): object {
  const required = requiredOf(fields);
  return {
    type: "object",
    properties: propertiesOf(fields),
    ...(required.length > 0 && { required }),
  };
}

function propertiesOf(properties: readonly Property[]): Record<string, object> {
  return Object.fromEntries(properties.map((property) => [property.name, propertySpec(property)]));
}

function propertySpec(property: Property): object {
  const description = withDefault(property);
  if (description === "") throw new Error(`${property.name} has no docstring`);
  return {
    description,
    ...typeSpec(property.type),
    ...(property.isSecret === true && { secret: true }),
    // not `replaceOnChanges`, which takes the decision from the provider: another spelling of a value changes nothing
    // (of an object, its fields say it)
    ...(property.effect === "replaces" && property.type.kind !== "object" && { willReplaceOnChanges: true }),
  };
}

function typeSpec(type: ValueType): object {
  switch (type.kind) {
    case "union":
      return { oneOf: type.of.map(typeSpec) };
    case "any":
      return { $ref: "pulumi.json#/Any" };
    case "list":
      return { type: "array", items: typeSpec(type.of) };
    case "map":
      return { type: "object", additionalProperties: typeSpec(type.of) };
    case "object":
    case "enum":
      return { $ref: `#/types/${token(type.name)}` };
    default:
      return { type: type.kind };
  }
}

function requiredOf(properties: readonly Property[]): string[] {
  return properties.filter(({ isRequired }) => isRequired).map(({ name }) => name);
}

/** The specifications by their tokens, in the order of the tokens. */
function mapValues<Value>(
  record: Readonly<Record<string, Value>>,
  specOf: (value: Value, name: string) => object,
): Record<string, object> {
  const entries = Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, value]) => [token(name), specOf(value, name)]));
}
