// Properties as Pulumi hands them over and stores them: the user's own, and beside them internal ones (`__…`).
import { inspect } from "node:util";
import type { CheckFailure } from "../../resource/inputTable";
import type { StoredState } from "../../resource/lifeCycle";
import { parseDuration } from "../../time/duration";
import { isUnknown } from "../../messages/unknown";

export type Properties = Record<string, unknown>;

/** The user's own properties, and the internal ones. */
export function split(properties: Properties): { visible: Properties; internal: Properties } {
  const isInternal = ([name]: [string, unknown]): boolean => name.startsWith("__");
  const entries = Object.entries(properties);
  return {
    visible: Object.fromEntries(entries.filter((entry) => !isInternal(entry))),
    internal: Object.fromEntries(entries.filter(isInternal)),
  };
}

/** The state in stored properties. @param noBookkeeping what is remembered where nothing is */
export function stateIn<State extends StoredState>(
  properties: Properties,
  noBookkeeping: State["bookkeeping"],
): State {
  const { visible, internal } = split(properties);
  return { outputs: visible, bookkeeping: internal["__bookkeeping"] ?? noBookkeeping } as State;
}

/** Whether properties are those of a resource that was stored, and not of one that is only looked up. */
export function isStored(properties: Properties): boolean {
  return "__bookkeeping" in properties;
}

/** @param given what the operation was called with: has the URN, which `delete` and `read` get from the outputs only */
export function propertiesOf({ outputs, bookkeeping }: StoredState, given: Properties): Properties {
  return plain({ ...outputs, __bookkeeping: bookkeeping, __urn: given["__urn"] });
}

/** The URN of the resource, which the program hands over; `undefined` when it is not known. */
export function urnOf(properties: Properties): string | undefined {
  const urn = properties["__urn"];
  return typeof urn === "string" && !isUnknown(urn) ? urn : undefined;
}

/** The URN, and the one that the state has, where the program has given the resource another one since, by an alias. */
export function urnsOf(olds: Properties, news: Properties): { urn?: string; formerUrn?: string } {
  const [before, now] = [urnOf(olds), urnOf(news)];
  return {
    ...(now !== undefined && { urn: now }),
    ...(now !== undefined && before !== undefined && before !== now && { formerUrn: before }),
  };
}

/** The host takes JSON only, of whole characters: `undefined` makes it fail. */
export function plain(properties: Properties): Properties {
  const whole = (_: string, value: unknown): unknown =>
    typeof value === "string" ? value.toWellFormed() : value;
  return JSON.parse(JSON.stringify(properties), whole) as Properties;
}

/** What is wrong with `customTimeouts`. */
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

/** The time limit of an operation by `customTimeouts`, in milliseconds. */
export function limitMs(properties: Properties, operation: "create" | "update"): number | undefined {
  const timeouts = properties["__timeouts"] as Record<string, string> | undefined;
  return parseDuration(timeouts?.[operation] ?? "");
}
