// Properties as Pulumi passes and stores them: the user's properties and internal ones (`__…`).
import type { StoredState } from "../../resource/lifeCycle";
import { isUnknown } from "../../runtime/messages/unknown";

/** Properties of a resource, as JSON. */
export type Properties = Record<string, unknown>;

/** Splits properties into the user's and the internal ones. */
export function split(properties: Properties): { visible: Properties; internal: Properties } {
  const { visible = [], internal = [] } = Object.groupBy(Object.entries(properties), ([name]) =>
    name.startsWith("__") ? "internal" : "visible",
  );
  return { visible: Object.fromEntries(visible), internal: Object.fromEntries(internal) };
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

/** Converts to JSON with well-formed strings, the only form that every host accepts. */
export function plain(properties: Properties): Properties {
  const whole = (_: string, value: unknown): unknown =>
    typeof value === "string" ? value.toWellFormed() : value;
  return JSON.parse(JSON.stringify(properties), whole) as Properties;
}

/** The URN that is stored with a resource; `undefined` if unknown. */
export function urnOf(properties: Properties): string | undefined {
  const urn = properties["__urn"];
  return typeof urn === "string" && !isUnknown(urn) ? urn : undefined;
}
