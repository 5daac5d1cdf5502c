import { ConfigurationError, InputError } from "../base/runtime/messages/errors";
import { isUnknown } from "../base/runtime/messages/plainText";
import type { ConfigurationSource } from "../service/configuration";
import { problemOfAnyValue } from "./anyValue";

/** A problem with one of the user's properties. */
export interface CheckFailure {
  property: string;
  reason: string;
}

/** The effect of a changed input. */
export type ChangeEffect =
  /** The resource is replaced. */
  | "replaces"
  /** Other content is wanted: the work is repeated. */
  | "content"
  /** Existing content is adopted, or no longer adopted. */
  | "adopts"
  /** The state stores the new value; nothing else happens. */
  | "remembered";

/** A normalised value for the state, or the problem with it. */
export type RuleResult =
  | { readonly value: unknown }
  | {
      readonly problem: string;
      /** The field with the problem, in a value with fields: `folder`, `limits.files`. @default the whole value */
      readonly at?: string | undefined;
    };

/** The definition of one input. */
export interface InputRow {
  readonly change: ChangeEffect;
  /** For a required input: its description and an example, for the message. */
  readonly required?: string;
  /** The value if the input is not given. */
  readonly default?: unknown;
  /** Checks a known value, also the default. */
  readonly rule: (value: unknown, configuration: ConfigurationSource) => RuleResult;
  /** Whether two values are equivalent. Either may be absent. @default `Object.is` */
  readonly isSame?: (one: unknown, other: unknown) => boolean;
  /** The input's name for the user. @default its name in the table */
  readonly publicName?: string;
  /** The output of this name has a value even if the input is not given, so the state stores whether it was given. */
  readonly filledIn?: true;
}

/**
 * A row for each input of a resource; a missing row does not compile. Add a new row after the resource's other rows, see
 * `intentOf`.
 */
export type InputTable<Inputs> = { readonly [Name in keyof Inputs]-?: InputRow };

/** The same for the fields of an object, whose changes are those of the object. */
export type InputFields<Fields> = { readonly [Name in keyof Fields]-?: Omit<InputRow, "change"> };

/** The names of all inputs, in the order of their rows. */
export function inputNames<Inputs>(table: InputTable<Inputs>): (keyof Inputs & string)[] {
  return Object.keys(table) as (keyof Inputs & string)[];
}

/**
 * Applies all rules, without any request. A value that JSON cannot hold is a problem of each input. Unknown values of a preview are
 * not checked. `null`, `undefined` and absent are the same.
 *
 * @param noSuch what a failure says before the names of all rows
 */
export function checkByTable<Checked>(
  table: InputFields<Checked>,
  given: Readonly<Record<string, unknown>>,
  configuration: ConfigurationSource,
  noSuch = "there is no such input. Inputs are",
): { inputs: Checked; failures: CheckFailure[] } {
  const rows = Object.entries<Omit<InputRow, "change">>(table);
  const publicNames = rows.map(([name, row]) => row.publicName ?? name);
  const present = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
  const inputs: Record<string, unknown> = Object.fromEntries(present);
  const failures: CheckFailure[] = present
    .filter(([name]) => !Object.hasOwn(table, name))
    .map(([property]) => ({ property, reason: `${noSuch}: ${publicNames.join(", ")}` }));
  for (const [name, row] of rows) {
    const value = inputs[name] ?? row.default;
    if (isUnknown(value) || (value === undefined && row.required === undefined)) continue;
    const refused = problemOfAnyValue(value, false);
    const ruled =
      value === undefined
        ? { problem: `is required: ${row.required ?? ""}` }
        : refused === undefined
          ? row.rule(value, configuration)
          : { problem: refused };
    inputs[name] = "value" in ruled ? ruled.value : undefined;
    if ("problem" in ruled) {
      const at = ruled.at === undefined ? "" : `.${ruled.at}`;
      failures.push({ property: `${row.publicName ?? name}${at}`, reason: ruled.problem });
    }
  }
  return { inputs: inputs as Checked, failures };
}

/**
 * The inputs of an object that is not managed yet. Pulumi calls no check before it reads one.
 *
 * @param what "docs.example.com: cannot be looked up"
 * @throws InputError that names each wrong input
 */
export function checkedByTable<Checked>(
  table: InputTable<Checked>,
  given: Readonly<Record<string, unknown>>,
  configuration: ConfigurationSource,
  what: string,
): Checked {
  const { inputs, failures } = checkByTable(table, given, configuration);
  if (failures.length === 0) return inputs;
  throw new InputError(
    `${what}: ${failures.map(({ property, reason }) => `${property} ${reason}`).join("; ")}`,
    "",
  );
}

/** The names of the changed inputs, in the order of their rows. */
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

/** The given inputs whose change has one of these effects. */
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

/** A value from the configuration, or the problem with it. */
export function configured(resolve: () => string): RuleResult {
  try {
    return { value: resolve() };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { problem: `${error.message}. ${error.remedy}` };
  }
}

/** The rule of a switch. */
export const ruleOfSwitch: InputRow["rule"] = (value) =>
  typeof value === "boolean" ? { value } : { problem: "must be true or false" };

/**
 * Applies the rules of the fields of an object. Fields without a value are left out.
 *
 * @param noSuch see {@link checkByTable}
 * @returns the fields, or the first problem
 */
export function ruleOfFields<Fields>(
  fields: InputFields<Fields>,
  noSuch: string,
  given: Readonly<Record<string, unknown>>,
  configuration: ConfigurationSource,
): { readonly value: Fields } | Extract<RuleResult, { problem: string }> {
  const { inputs, failures } = checkByTable<Fields>(fields, given, configuration, noSuch);
  const [first] = failures;
  return first ? { at: first.property, problem: first.reason } : { value: inputs };
}
