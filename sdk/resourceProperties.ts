import type * as pulumi from "@pulumi/pulumi";
import { inputNames, type InputTable } from "../provider/resource/inputTable";

/** Inputs of a resource as a program gives them: each may be an output; what is not configured may be `undefined`. */
export type InputsOf<Inputs> = {
  [Name in keyof Inputs]:
    | pulumi.Input<Name extends "triggers" ? pulumi.Input<unknown>[] : NonNullable<Inputs[Name]>>
    // also for programs with `exactOptionalPropertyTypes`
    | (undefined extends Inputs[Name] ? undefined : never);
};

/** Values of the outputs of a resource. */
export type OutputsOf<Outputs> = { [Name in keyof Outputs]: pulumi.Output<Outputs[Name]> };

/** Every input of a resource as «not given»: Pulumi makes properties of those that it is told of. */
export function unset<Inputs>(table: InputTable<Inputs>): Record<keyof Inputs, undefined> {
  return Object.fromEntries(inputNames(table).map((name) => [name, undefined])) as Record<
    keyof Inputs,
    undefined
  >;
}
