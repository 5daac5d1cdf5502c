// Properties as Pulumi passes and stores them: the user's properties and internal ones (`__…`).
import { inspect } from "node:util";
import type { CheckFailure } from "../../resource/inputTable";
import type { StoredState } from "../../resource/lifeCycle";
import { parseDuration } from "../../time/duration";
import { isUnknown } from "../../messages/unknown";

export type Properties = Record<string, unknown>;

/** Splits properties into the user's and the internal ones. */
export function split(properties: Properties): { visible: Properties; internal: Properties } {
  const isInternal = ([name]: [string, unknown]): boolean => name.startsWith("__");
  const entries = Object.entries(properties);
  return {
    visible: Object.fromEntries(entries.filter((entry) => !isInternal(entry))),
    internal: Object.fromEntries(entries.filter(isInternal)),
  };
}

/** The state in stored properties. @param noBookkeeping the bookkeeping if none is stored */
export function stateIn<State extends StoredState>(
  properties: Properties,
  noBookkeeping: State["bookkeeping"],
): State {
  const { visible, internal } = split(properties);
  return { outputs: visible, bookkeeping: internal["__bookkeeping"] ?? noBookkeeping } as State;
}

/** Whether properties come from a stored resource, not from a lookup. */
export function isStored(properties: Properties): boolean {
  return "__bookkeeping" in properties;
}

/** @param given the properties of the call, which contain the URN: `delete` and `read` get it only from the outputs */
export function propertiesOf({ outputs, bookkeeping }: StoredState, given: Properties): Properties {
  return plain({ ...outputs, __bookkeeping: bookkeeping, __urn: given["__urn"] });
}

/** The URN of the resource, which the program passes; `undefined` if unknown. */
export function urnOf(properties: Properties): string | undefined {
  const urn = properties["__urn"];
  return typeof urn === "string" && !isUnknown(urn) ? urn : undefined;
}

/** The URN, and the URN in the state if the program has since renamed the resource with an alias. */
export function urnsOf(olds: Properties, news: Properties): { urn?: string; formerUrn?: string } {
  const [before, now] = [urnOf(olds), urnOf(news)];
  return {
    ...(now !== undefined && { urn: now }),
    ...(now !== undefined && before !== undefined && before !== now && { formerUrn: before }),
  };
}

/** Converts to JSON with well-formed strings, the only form that the host accepts: it fails on `undefined`. */
export function plain(properties: Properties): Properties {
  const whole = (_: string, value: unknown): unknown =>
    typeof value === "string" ? value.toWellFormed() : value;
  return JSON.parse(JSON.stringify(properties), whole) as Properties;
}

/** Checks `customTimeouts`. */
export function checkTimeouts(properties: Properties): CheckFailure[] {
  const timeouts = properties["__timeouts"];
  if (timeouts === undefined || isUnknown(timeouts)) return [];
  return Object.entries(timeouts as Properties)
    .filter(([, text]) => !isUnknown(text) && (typeof text !== "string" || parseDuration(text) === undefined))
    .map(([name, text]) => ({
      property: "customTimeouts",
      reason: `${name} is ${inspect(text)}, not a duration; write it like "90s", "30m" or "1h30m"`,
    }));
}

/** The time limit of an operation from `customTimeouts`, in milliseconds. */
export function limitMs(properties: Properties, operation: "create" | "update"): number | undefined {
  const timeouts = properties["__timeouts"] as Record<string, string> | undefined;
  return parseDuration(timeouts?.[operation] ?? "");
}
