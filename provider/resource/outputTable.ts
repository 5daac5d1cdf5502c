import { UNKNOWN } from "../base/runtime/messages/plainText";
import { present } from "../base/runtime/values/fields";

/** The definition of one output. */
interface OutputRow {
  /** Always a secret, because the value is a credential. */
  readonly isSecret?: true;
  /** A new link decides about it anew. A renewal of the link keeps all other outputs. */
  readonly isRenewed?: true;
  /** The plugin stores null where it is absent: what is missing in a preview counts as not known yet. */
  readonly nullIfAbsent?: true;
}

/** A row for each output of a resource that does not repeat an input; a missing row does not compile. */
export type OutputTable<Own> = { readonly [Name in keyof Own]-?: OutputRow };

/** A table of outputs, or some of its rows. */
export type OutputRows = Readonly<Record<string, OutputRow>>;

/** All outputs, also those without a value: so no state omits one by mistake. */
export type Every<Own> = { readonly [Name in keyof Required<Own>]: Own[Name] | undefined };

/** The rows of a table that have a mark. */
export function rowsThat(mark: keyof OutputRow, table: OutputRows): OutputRows {
  return Object.fromEntries(Object.entries(table).filter(([, row]) => row[mark]));
}

/** The values of a state, or of a reply, that have a row: in a table of outputs, or in that of the inputs that a state was made from. */
export function outputsAmong<Values>(
  table: Readonly<Record<string, unknown>>,
  values: { readonly [Name in keyof Values]?: Values[Name] | undefined },
): Values {
  const withRow = Object.entries(values).filter(([name]) => Object.hasOwn(table, name));
  return present(Object.fromEntries(withRow)) as Values;
}

/** Outputs whose values are not known yet. */
export function unknownOutputs<Name extends string>(
  table: Readonly<Record<Name, OutputRow>>,
): Record<Name, unknown> {
  const names = Object.keys(table) as Name[];
  return Object.fromEntries(names.map((name) => [name, UNKNOWN])) as Record<Name, unknown>;
}
