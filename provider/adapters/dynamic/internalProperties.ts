// What the dynamic provider alone stores: the program passes the URN and `customTimeouts` as internal properties.
import { inspect } from "node:util";
import type { CheckFailure } from "../../resource/inputTable";
import type { StoredState } from "../../resource/lifeCycle";
import { parseDuration } from "../../runtime/time/duration";
import { isUnknown } from "../../runtime/messages/unknown";
import { plain, urnOf, type Properties } from "../session/storedProperties";
import { urnsOf, type Urns } from "../session/urns";

/** @param given the properties of the call, which contain the URN: `delete` and `read` get it only from the outputs */
export function propertiesOf({ outputs, bookkeeping }: StoredState, given: Properties): Properties {
  return plain({ ...outputs, __bookkeeping: bookkeeping, __urn: given["__urn"] });
}

/** The URN of the resource, and its URN in the state if that is another one. */
export function urnsIn(olds: Properties, news: Properties): Urns {
  return urnsOf(urnOf(olds), urnOf(news));
}

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
