// Properties as Pulumi passes and stores them: the user's properties and internal ones (`__…`).
import { type StoredState, UnfinishedError } from "../../resource/lifeCycle";
import type { OutputRows } from "../../resource/outputTable";
import { isUnknown } from "../../runtime/messages/plainText";
import { InternalError } from "../../runtime/messages/errors";
import type { Context } from "../../resource/context";

/** Properties of a resource, as JSON. */
export type Properties = Record<string, unknown>;

/** Splits properties into the user's and the internal ones. */
export function split(properties: Properties): { visible: Properties; internal: Properties } {
  const { visible = [], internal = [] } = Object.groupBy(Object.entries(properties), ([name]) =>
    name.startsWith("__") ? "internal" : "visible",
  );
  return { visible: Object.fromEntries(visible), internal: Object.fromEntries(internal) };
}

/** The state in stored properties, of either adapter. */
export function stateIn<State extends StoredState>(
  properties: Properties,
  {
    outputs: table,
    noBookkeeping,
  }: { readonly outputs: OutputRows; readonly noBookkeeping: State["bookkeeping"] },
): State {
  const { visible, internal } = split(properties);
  const given = Object.entries(visible).filter(
    ([name, value]) => value !== null || !table[name]?.nullIfAbsent,
  );
  return {
    outputs: Object.fromEntries(given),
    bookkeeping: internal["__bookkeeping"] ?? noBookkeeping,
  } as State;
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

/** Errors that code throws by itself when a value is not what its type says. */
const FAULTS = ["TypeError", "RangeError", "SyntaxError"];

/**
 * Runs a call that works on a stored state. The state comes from a file that anybody can edit, so what cannot be read of it is no fault
 * of the code: the message says what to do.
 *
 * @param urn the resource, if known
 */
export async function onStoredState<T>(urn: string | undefined, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const fault = faultOf(error);
    if (fault === undefined) throw error;
    const name = urn?.split("::").at(-1);
    throw new InternalError(
      `${name === undefined ? "a resource" : name}: its stored state cannot be read (${fault}): the state is damaged, or a newer version of this ` +
        "package wrote it. The state stays as it is. Restore it from an earlier update (`pulumi stack export --version N`, then " +
        `\`pulumi stack import\`), or install the newer version, or take the resource out of the state (\`pulumi state delete '${urn ?? "URN"}'\`) ` +
        "and run `pulumi up` again. If the state is as this version wrote it, please report it.",
      "",
    );
  }
}

/** The class of an unexpected error; undefined for an error that says itself what is wrong. */
function faultOf(error: unknown): string | undefined {
  if (error instanceof UnfinishedError) return faultOf(error.cause);
  if (!(error instanceof Error)) return undefined;
  const kind = error instanceof InternalError ? error.kind : error.constructor.name;
  return FAULTS.includes(kind) ? kind : undefined;
}

/** Whether an operation ended with an unexpected error: then it made no progress that is worth storing. */
export function isFault(error: unknown): boolean {
  return faultOf(error) !== undefined;
}

/** The URN of a resource, and its URN in the state if that is another one. */
export type Urns = Pick<Context, "urn" | "formerUrn">;

/** The types of the dynamic provider, in a URN. The types of the plugin have {@link PLUGIN_TYPES} in this place. */
const DYNAMIC_TYPES = "pulumi-nodejs:dynamic/docs-hosting:";
const PLUGIN_TYPES = "docs-hosting:index:";

/** The URN, and the URN in the state if the resource was renamed since. */
export function urnsOf(before: string | undefined, now: string | undefined): Urns {
  return {
    ...(now !== undefined && { urn: now }),
    ...(now !== undefined && before !== undefined && before !== now && { formerUrn: before }),
  };
}

/**
 * Whether the program renamed or moved the resource. A resource that only changed from one adapter to the other was not: its
 * state stays as it is.
 */
export function isRenamed({ urn, formerUrn }: Urns): boolean {
  return urn !== undefined && formerUrn !== undefined && ofPlugin(urn) !== ofPlugin(formerUrn);
}

/** The URN that the same resource has, or had, as a dynamic one. */
export function dynamicUrnOf(urn: string): string {
  return urn.replaceAll(PLUGIN_TYPES, DYNAMIC_TYPES);
}

function ofPlugin(urn: string): string {
  return urn.replaceAll(DYNAMIC_TYPES, PLUGIN_TYPES);
}
