import { UNKNOWN } from "../runtime/messages/plainText";

/** The definition of one output. */
export interface OutputRow {
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

/** The values that are not `undefined`. */
export function present<Values>(values: {
  readonly [Name in keyof Values]: Values[Name] | undefined;
}): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Values;
}

/** The rows of a table that have a mark. */
export function rowsThat(mark: keyof OutputRow, table: OutputRows): OutputRows {
  return Object.fromEntries(Object.entries(table).filter(([, row]) => row[mark]));
}

/** The values of a state, or of a reply, that have a row. */
export function outputsAmong<Values extends object>(table: OutputRows, values: Values): Values {
  return present(
    Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(table, name))),
  ) as Values;
}

/** Outputs whose values are not known yet. */
export function unknownOutputs<Table extends OutputRows>(table: Table): Record<keyof Table, unknown> {
  return Object.fromEntries(Object.keys(table).map((name) => [name, UNKNOWN])) as Record<
    keyof Table,
    unknown
  >;
}
