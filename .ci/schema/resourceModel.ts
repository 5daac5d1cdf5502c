import type { InputRow } from "../../provider/resource/inputTable.ts";
import type { OutputRows } from "../../provider/resource/outputTable.ts";
import type { Declared } from "./declarations.ts";
import type { Property } from "./model.ts";
import { isShorthand, type ValueTypes } from "./valueTypes.ts";

/** The tables of a resource: a row for each input, by the name under which the state has it, and for each other output. */
export interface ResourceTables {
  readonly inputs: Readonly<Record<string, InputRow>>;
  readonly outputs: OutputRows;
}

/** The parts of a resource, as its folder and its class declare them. */
export interface ResourceParts {
  readonly tables: ResourceTables;
  /** The inputs as a program in TypeScript gives them. */
  readonly inputs: readonly Declared[];
  readonly outputs: readonly Declared[];
  /** Properties that the class declares again, because a program sees more of them than the state says. */
  readonly members: readonly Declared[];
}

/** The inputs of a resource, in the order of their rows. */
export function inputsOf({ tables, inputs }: ResourceParts, types: ValueTypes): Property[] {
  return Object.entries(tables.inputs).map(([name, { publicName = name, required, change }]) => {
    const declared = inputs.find((each) => each.name === publicName);
    if (declared === undefined) throw new Error(`the input ${publicName} has a row and no type`);
    const property = types.property(declared, "input");
    if (property.isRequired !== (required !== undefined)) {
      throw new Error(`the row and the type of the input ${publicName} disagree on whether it is required`);
    }
    return { ...property, name, ...(publicName !== name && { publicName }), effect: change };
  });
}

/** The outputs of a resource. An object that repeats an input has the input's type. */
export function outputsOf(parts: ResourceParts, inputs: readonly Property[], types: ValueTypes): Property[] {
  return parts.outputs.map((output) => {
    const { name } = output;
    const input = inputs.find((each) => each.name === name);
    const member = parts.members.find((each) => each.name === name);
    const given = parts.inputs.find((each) => each.name === name);
    const isRepeated = input?.type.kind === "object" && !(given && isShorthand(given.node));
    const { type, isRequired } = isRepeated
      ? { ...input, isRequired: !output.isOptional }
      : types.property(output, "output");
    const { text, default: value } = [member, output, input].find((each) => each?.text) ?? { text: "" };
    return {
      name,
      type,
      isRequired: member ? !member.isOptional : isRequired,
      text,
      ...(value !== undefined && { default: value }),
      ...(parts.tables.outputs[name]?.isSecret && { isSecret: true }),
    };
  });
}
