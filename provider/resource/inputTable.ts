import { ConfigurationError } from "../messages/errors";
import { isUnknown } from "../messages/unknown";
import type { ConfigurationSource } from "../service/configuration";

/** What is wrong with one of the user's own properties. */
export interface CheckFailure {
  property: string;
  reason: string;
}

/** What a change of an input means. */
export type ChangeEffect =
  /** Another resource in its place. */
  | "replaces"
  /** Other content is wanted: the work is done again. */
  | "content"
  /** Existing content is taken over, or no longer. */
  | "adopts"
  /** Nothing but that it is remembered. */
  | "remembered";

/** A value in the one spelling that is stored, or what is wrong with it. */
export type RuleResult =
  | { readonly value: unknown }
  | {
      readonly problem: string;
      /** Where it is, in a value that has fields: `folder`, `limits.files`. @default the value as a whole */
      readonly at?: string | undefined;
    };

/** All that there is to say of one input. */
export interface InputRow {
  readonly change: ChangeEffect;
  /** Of an input that must be given: what it is and looks like. */
  readonly required?: string;
  /** Stands for it where it is not given. */
  readonly default?: unknown;
  /** Judges a value that is known; where there is a default, also that. */
  readonly rule: (value: unknown, configuration: ConfigurationSource) => RuleResult;
  /** Whether two values mean the same, either of which may be absent. @default `Object.is` */
  readonly isSame?: (one: unknown, other: unknown) => boolean;
  /** What the user calls it. @default its name */
  readonly publicName?: string;
  /** The output of its name has a value also where the input has none, so that the state remembers whether it was given. */
  readonly filledIn?: true;
}

/** A row for each input of a resource: one that has none does not compile. A new row is the last of a resource's own, see `intentOf`. */
export type InputTable<Inputs> = { readonly [Name in keyof Inputs]-?: InputRow };

/** The names of all inputs, in the order of their rows. */
export function inputNames<Inputs>(table: InputTable<Inputs>): (keyof Inputs & string)[] {
  return Object.keys(table) as (keyof Inputs & string)[];
}

/** The inputs that a state was made from: those of its outputs that have a row and a value. */
export function inputsAmong<Checked>(
  table: Readonly<Record<string, InputRow>>,
  outputs: { readonly [Name in keyof Checked]?: Checked[Name] | undefined },
): Checked {
  const given = Object.entries(outputs).filter(
    ([name, value]) => Object.hasOwn(table, name) && value !== undefined,
  );
  return Object.fromEntries(given) as Checked;
}

/**
 * Applies all rules, before any request and without any. Values that a preview does not know yet pass unseen; `null`,
 * `undefined` and absent are the same.
 */
export function checkByTable<Checked>(
  table: InputTable<Checked>,
  given: Readonly<Record<string, unknown>>,
  configuration: ConfigurationSource,
): { inputs: Checked; failures: CheckFailure[] } {
  const rows = Object.entries<InputRow>(table);
  const publicNames = rows.map(([name, row]) => row.publicName ?? name);
  const present = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
  const inputs: Record<string, unknown> = Object.fromEntries(present);
  const failures: CheckFailure[] = present
    .filter(([name]) => !Object.hasOwn(table, name))
    .map(([property]) => ({
      property,
      reason: `there is no such input. Inputs are: ${publicNames.join(", ")}`,
    }));
  for (const [name, row] of rows) {
    const value = inputs[name] ?? row.default;
    if (isUnknown(value) || (value === undefined && row.required === undefined)) continue;
    const ruled =
      value === undefined
        ? { problem: `is required: ${row.required ?? ""}` }
        : row.rule(value, configuration);
    inputs[name] = "value" in ruled ? ruled.value : undefined;
    if ("problem" in ruled) {
      const at = ruled.at === undefined ? "" : `.${ruled.at}`;
      failures.push({ property: `${row.publicName ?? name}${at}`, reason: ruled.problem });
    }
  }
  return { inputs: inputs as Checked, failures };
}

/** The names of the inputs that are not as they were, in the order of their rows. */
export function changedByTable<Inputs>(
  table: InputTable<Inputs>,
  now: Readonly<Partial<Inputs>>,
  before: Readonly<Partial<Inputs>>,
): (keyof Inputs & string)[] {
  return inputNames(table).filter((name) => {
    const { isSame = Object.is } = table[name];
    return isUnknown(now[name]) || !isSame(now[name], before[name]);
  });
}

/** Those of some inputs whose change has one of these effects. */
export function withEffect<Inputs>(
  table: InputTable<Inputs>,
  names: readonly (keyof Inputs & string)[],
  ...effects: ChangeEffect[]
): (keyof Inputs & string)[] {
  return names.filter((name) => effects.includes(table[name].change));
}

/** The rule of a text. */
export function text(
  rule: (value: string, configuration: ConfigurationSource) => RuleResult,
): InputRow["rule"] {
  return (value, configuration) =>
    typeof value === "string"
      ? rule(value, configuration)
      : { problem: `must be a string, not ${typeof value}` };
}

/** A part of the configuration, or why it cannot be used. */
export function configured(resolve: () => string): RuleResult {
  try {
    return { value: resolve() };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { problem: `${error.message}. ${error.remedy}` };
  }
}
