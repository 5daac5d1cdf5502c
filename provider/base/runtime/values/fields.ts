/** Whether a value is an object with fields, not a list. */
export function hasFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The values that are not `undefined`. */
export function present<Values>(values: {
  readonly [Name in keyof Values]: Values[Name] | undefined;
}): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Values;
}
