import type * as pulumi from "@pulumi/pulumi";
import { inputNames, type InputTable } from "../provider/resource/inputTable";

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

/** Outputs of a resource as properties of its class, which extends an interface of them. The outputs' own types document them. */
export type OutputsOf<Outputs> = { readonly [Name in keyof Outputs]-?: pulumi.Output<Outputs[Name]> };

/** Outputs that are no inputs, as «not known yet»: Pulumi creates class properties only for those it is given. */
export type OwnOutputs<Outputs, Inputs> = Record<Exclude<keyof Outputs, keyof Inputs>, undefined>;

/** Every input of a resource as «not given»: Pulumi creates class properties only for those it is given. */
export function unset<Inputs>(table: InputTable<Inputs>): Record<keyof Inputs, undefined> {
  return Object.fromEntries(inputNames(table).map((name) => [name, undefined])) as Record<
    keyof Inputs,
    undefined
  >;
}
