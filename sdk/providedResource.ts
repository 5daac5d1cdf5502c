import * as pulumi from "@pulumi/pulumi";
import type { Duration } from "../provider/base/runtime/time/duration";
import { type OutputRows, rowsThat } from "../provider/resource/outputTable";
import { anyValue } from "./anyValue";
import { handlerText } from "./handler";
import { isConfigSecret } from "./pulumiSdk";
import { checkPackageIsFound, refuseComponentPackage, refuseImport, warnOfPlainKey } from "./registration";
import { resourceUrn } from "./resourceUrn";
import { isAtService } from "./sourceKinds";

/**
 * The names of a resource's inputs; a missing one does not compile. The rules are in the provider's tables, and need what publishes a
 * bundle: a program does not load them.
 */
export type InputNames<Inputs> = { readonly [Name in keyof Inputs]-?: true };

/** A resource of this package's provider. Adds the properties that every such resource registers. */
export abstract class ProvidedResource extends pulumi.CustomResource {
  /**
   * @param kind the name under which `provider/dynamic.ts` exports its implementation
   * @param names the resource's inputs and outputs
   * @param given the inputs that the program gives
   * @throws pulumi.RunError before anything is registered: for the option `import`, and if Pulumi's provider process cannot find the
   *   package
   */
  protected constructor(
    kind: Parameters<typeof handlerText>[0],
    name: string,
    names: { readonly inputs: object; readonly outputs: OutputRows },
    given: Readonly<Record<string, unknown>>,
    opts: pulumi.CustomResourceOptions,
  ) {
    refuseComponentPackage(kind, name);
    refuseImport(kind, name, opts);
    checkPackageIsFound();
    const { inputs, outputs } = names;
    const type = typeOf(kind);
    const secretOutputs = Object.keys(rowsThat("isSecret", outputs));
    super(
      type,
      name,
      {
        ...unset(inputs),
        ...withSecretBaseUrl(inputs, prepared(given)),
        ...unset(outputs, inputs),
        __provider: handlerText(kind),
        __urn: resourceUrn(name, type, opts.parent),
        __timeouts: opts.customTimeouts,
      },
      { ...opts, additionalSecretOutputs: [...secretOutputs, ...(opts.additionalSecretOutputs ?? [])] },
    );
    warnOfPlainKey();
  }
}

/** The arguments of a resource: a JavaScript program may leave them out, and the check then names what is missing. */
export const givenArgs = <Args extends object>(args: Args | null | undefined): Partial<Args> => args ?? {};

/** Whether a value is a resource of one of this package's classes, also of another copy of the package. */
export function isProvided(value: unknown, kind: Parameters<typeof handlerText>[0]): boolean {
  return (
    pulumi.CustomResource.isInstance(value) &&
    (value as { readonly __pulumiType?: unknown }).__pulumiType === typeOf(kind)
  );
}

const typeOf = (kind: string): string => `pulumi-nodejs:dynamic/docs-hosting:${kind}`;

/** Configuration key of the base URL. */
const BASE_URL_CONFIG = "docs-hosting:baseUrl";

/**
 * The arguments; where none is the base URL, and the configuration has it as a secret, with a secret without a value. Pulumi marks as
 * secret what the provider fills in for a secret.
 */
function withSecretBaseUrl(inputs: object, given: Readonly<Record<string, unknown>>): object {
  const isSecret = pulumi.runtime.getConfig(BASE_URL_CONFIG) !== undefined && isConfigSecret(BASE_URL_CONFIG);
  if (!isSecret) return given;
  const { source } = given;
  return {
    ...given,
    ...(isAtService(source) && { source: withSecret(source) }),
    ...(Object.hasOwn(inputs, "baseUrl") && withSecret({ baseUrl: given["baseUrl"] })),
  };
}

function withSecret(fields: object): object {
  const { baseUrl } = fields as { readonly baseUrl?: unknown };
  return (baseUrl ?? null) === null ? { ...fields, baseUrl: pulumi.secret(null) } : fields;
}

/** The given inputs as Pulumi can register them. */
function prepared(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, anyValue(value)]));
}

/** The names of a table as «not known yet»: Pulumi creates class properties only for those it is given. */
function unset(table: object, others: object = {}): Record<string, undefined> {
  const names = Object.keys(table).filter((name) => !Object.hasOwn(others, name));
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

/**
 * Inputs of a resource as a program gives them: each, and each entry of a list, may be an output. An optional one may be
 * `undefined`.
 */
export type InputsOf<Inputs> = {
  [Name in keyof Inputs]:
    | pulumi.Input<
        NonNullable<Inputs[Name]> extends readonly (infer Entry)[]
          ? pulumi.Input<Entry>[]
          : NonNullable<Inputs[Name]>
      >
    // also for programs with `exactOptionalPropertyTypes`
    | (undefined extends Inputs[Name] ? undefined : never);
};

/** Arguments of which some are durations, such as "24h". The text of an output is checked when it is known. */
export type WithDurations<Args, Names extends PropertyKey> = {
  [Name in keyof Args]: Name extends Names
    ? pulumi.Input<Duration> | pulumi.Output<string> | undefined
    : Args[Name];
};

/**
 * Inputs of which each kind has fields of its own, as a program gives them: a field of another kind is an error, unless it is null or
 * undefined.
 */
export type OneKindOf<Kinds> = WithoutOthers<Kinds, FieldOfAny<Kinds>>;

type FieldOfAny<Kinds> = Kinds extends unknown ? keyof Kinds : never;

type WithoutOthers<Kinds, Fields extends PropertyKey> = Kinds extends unknown
  ? WithDurations<InputsOf<Kinds>, "linkLife"> & {
      readonly [Other in Exclude<Fields, keyof Kinds>]?: null | undefined;
    }
  : never;

/** Outputs of a resource as properties of its class, which extends an interface of them. The outputs' own types document them. */
export type OutputsOf<Outputs> = { readonly [Name in keyof Outputs]-?: pulumi.Output<Outputs[Name]> };
