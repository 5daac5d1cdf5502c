// What `pulumi package add` makes of the plugin's schema for a program in JavaScript: the same classes and functions, made
// when they are loaded, so that nothing of it can be out of date.
/* eslint-disable @typescript-eslint/no-require-imports -- CommonJS, which is evaluated anew for each program in a reused process */
import type * as Pulumi from "@pulumi/pulumi";

const pulumi = require("@pulumi/pulumi") as typeof Pulumi;
const schema = require("../../provider/adapters/plugin/schema.json") as Schema;

interface Property {
  secret?: boolean;
  replaceOnChanges?: boolean;
  type?: string;
}

interface ResourceSchema {
  properties?: Record<string, Property>;
  inputProperties?: Record<string, Property>;
  requiredInputs?: string[];
  aliases?: { type: string }[];
}

interface Schema {
  name: string;
  version: string;
  provider?: ResourceSchema;
  resources: Record<string, ResourceSchema>;
  functions?: Record<string, unknown>;
}

type Args = Record<string, unknown>;
type Options = Pulumi.CustomResourceOptions;

const defaults = { version: schema.version };
const namesOf = (properties: Record<string, Property> = {}, has: (property: Property) => unknown): string[] =>
  Object.keys(properties).filter((name) => has(properties[name] ?? {}));

function resourceClass(token: string, resource: ResourceSchema) {
  const { inputProperties = {}, properties = {}, requiredInputs = [], aliases = [] } = resource;
  const outputs = Object.fromEntries(Object.keys(properties).map((name) => [name, undefined]));
  const own: Options = {
    aliases,
    additionalSecretOutputs: namesOf(properties, ({ secret }) => secret),
    replaceOnChanges: namesOf(properties, ({ replaceOnChanges }) => replaceOnChanges),
  };
  return class extends pulumi.CustomResource {
    static get(name: string, id: string, opts: Options = {}) {
      return new this(name, undefined, { ...opts, id });
    }

    constructor(name: string, args: Args | undefined, opts: Options = {}) {
      const given: Args = {};
      if (opts.id === undefined) {
        for (const input of requiredInputs) {
          if (args?.[input] === undefined && !opts.urn) {
            throw new Error(`Missing required property '${input}'`);
          }
        }
        for (const [input, { secret }] of Object.entries(inputProperties)) {
          const value = args?.[input];
          given[input] = secret && value !== undefined ? pulumi.secret(value) : value;
        }
      }
      const options = pulumi.mergeOptions(pulumi.mergeOptions(defaults, opts), own);
      super(token, name, { ...outputs, ...given }, options);
    }
  };
}

class Provider extends pulumi.ProviderResource {
  constructor(name: string, args: Args = {}, opts: Pulumi.ResourceOptions = {}) {
    const given: Args = {};
    for (const [input, { secret, type }] of Object.entries(schema.provider?.inputProperties ?? {})) {
      const value = args[input];
      // what is not text is text of JSON
      const text =
        value === undefined || type === "string" ? value : pulumi.output(value).apply(JSON.stringify);
      given[input] = secret && text !== undefined ? pulumi.secret(text) : text;
    }
    super(schema.name, name, given, pulumi.mergeOptions(defaults, opts));
  }
}

const nameOf = (token: string): string => token.slice(token.lastIndexOf(":") + 1);
const offered: Record<string, unknown> = { Provider };
for (const [token, resource] of Object.entries(schema.resources)) {
  offered[nameOf(token)] = resourceClass(token, resource);
}
for (const token of Object.keys(schema.functions ?? {})) {
  const withDefaults = (opts: Pulumi.InvokeOutputOptions) => pulumi.mergeOptions(defaults, opts);
  offered[nameOf(token)] = (args: Args, opts = {}) => pulumi.runtime.invoke(token, args, withDefaults(opts));
  offered[`${nameOf(token)}Output`] = (args: Args, opts = {}) =>
    pulumi.runtime.invokeOutput(token, args, withDefaults(opts));
}
module.exports = offered;
