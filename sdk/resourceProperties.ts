import type * as pulumi from "@pulumi/pulumi";
import { inputNames, type InputTable } from "../provider/resource/inputTable";

/** Inputs of a resource as a program gives them: each may be an output; what is not configured may be `undefined`. */
export type InputsOf<Inputs> = {
  [Name in keyof Inputs]:
    | pulumi.Input<Name extends "triggers" ? pulumi.Input<unknown>[] : NonNullable<Inputs[Name]>>
    // also for programs with `exactOptionalPropertyTypes`
    | (undefined extends Inputs[Name] ? undefined : never);
};

/** Outputs of a resource as properties of its class, which extends an interface of them: each is described where it is declared. */
export type OutputsOf<Outputs> = { readonly [Name in keyof Outputs]-?: pulumi.Output<Outputs[Name]> };

/** Outputs that no input has, as «not known yet»: Pulumi makes properties of those that it is told of. */
export type OwnOutputs<Outputs, Inputs> = Record<Exclude<keyof Outputs, keyof Inputs>, undefined>;

/** Every input of a resource as «not given»: Pulumi makes properties of those that it is told of. */
export function unset<Inputs>(table: InputTable<Inputs>): Record<keyof Inputs, undefined> {
  return Object.fromEntries(inputNames(table).map((name) => [name, undefined])) as Record<
    keyof Inputs,
    undefined
  >;
}
