import { isUnknown } from "../../base/runtime/messages/plainText";
import type { Decision, DecisionCode } from "../../resource/decision";
import { changedByTable, withEffect } from "../../resource/inputTable";
import { describeSource } from "../source/bundleSource";
import { keptAmong, type Published } from "./publication";
import type { PublicationKind } from "./publicationKind";
import type { PublicationWork } from "./publicationWork";
import { fetchText } from "./siteAdditions";

/** The one action that brings the item to what the inputs request, and its reason. */
export interface PublicationPlan extends Decision {
  readonly action:
    | /** Fetch the bundle, inspect it and publish it. */
      "publish"
      /** Write the mark of this resource. */
    | "mark"
    /** Sign a link to the existing item. */
    | "sign"
    /** Remove earlier items beyond those that are kept. */
    | "prune"
    /** Store the inputs in the state; no request. */
    | "record";
}

/**
 * Decides what an operation must do; has no side effects. Previews and updates both use it, so an update does what its preview
 * reported.
 *
 * @param state `undefined` for a resource that does not exist yet
 * @param nowMs milliseconds since 1970
 */
export function planPublication<T extends Published>(
  kind: PublicationKind<T>,
  inputs: T["inputs"],
  state: T["state"] | undefined,
  nowMs: number,
): PublicationPlan {
  const destination = kind.destinationOf(inputs);
  const what = actionText(kind, inputs, destination.name);
  const items = state ? kind.state.itemsOf(state) : [];
  const [newest] = items;
  if (!state || !newest) return { action: "publish", code: "NEW", text: what };

  const { item, items: plural, made } = kind.terms;
  const publish = (code: DecisionCode, reason: string): PublicationPlan => ({
    action: "publish",
    code,
    text: `${reason}, so ${what}`,
  });
  const { requireSelfContained, limits } = inputs;
  const { bundle } = newest;
  const changed = changedPublicationInputs(kind, inputs, state);
  const again = [
    ...withEffect(kind.table, changed, "content").map((name) => `${name} changed`),
    ...(kind.reasonsToPublish?.(inputs, state) ?? []),
  ];
  if (requireSelfContained && !isUnknown(requireSelfContained) && !bundle.selfContained) {
    again.push("a self-contained bundle is required");
  }
  if (bundle.size > limits.archiveBytes || bundle.files > limits.files) {
    again.push(`the bundle of the ${item} exceeds its limits`);
  }
  if (again.length > 0) return publish("NEW_CONTENT", again.join(", "));
  const address = kind.destinationOf(kind.state.inputsOf(state)).addressOf(newest);
  const { drifted } = state.bookkeeping;
  if (drifted === "partial") {
    return publish("RESUMED", `an earlier run was interrupted while it published ${address}`);
  }
  if (drifted === "gone") return publish("DRIFTED", `${address} no longer exists`);
  if (drifted === "changed") return publish("DRIFTED", `${address} has changed since it was ${made}`);
  if (destination.isMissing(newest)) return publish("MISSING", `${address} is not on this machine`);
  if (drifted === "taken") {
    return publish("DRIFTED", `another resource had ${destination.name} when it was refreshed`);
  }
  if (drifted === "unmarked") {
    const text = `the mark of this resource is not at ${destination.name}: it is written, and nothing is sent`;
    return { action: "mark", code: "DRIFTED", text };
  }
  const reasonToSign = kind.links?.reasonToSign(inputs, state, nowMs);
  if (reasonToSign) return { action: "sign", ...reasonToSign };
  const { surplus } = keptAmong(items.slice(1), inputs.keep);
  if (surplus.length > 0) {
    const text = `earlier ${plural} at ${destination.name} are removed: ${surplus.length}`;
    return { action: "prune", code: "SETTINGS", text };
  }
  if (changed.length === 0) {
    return { action: "record", code: "UP_TO_DATE", text: `${address} is the ${item}` };
  }
  const text = `${changed.join(" and ")} changed: recorded without a request`;
  return { action: "record", code: "SETTINGS", text };
}

/** The names of the inputs that changed since the outputs were made. */
export function changedPublicationInputs<T extends Published>(
  kind: PublicationKind<T>,
  inputs: T["inputs"],
  state: T["state"],
): (keyof T["inputs"] & string)[] {
  return changedByTable(kind.table, inputs, kind.state.inputsOf(state));
}

/** What an operation is about, in error messages: "a kit of job 7 of docs.example.com to kits". */
export function subjectOf<T extends Published>({
  kind,
  inputs,
  destination,
}: Pick<PublicationWork<T>, "kind" | "inputs" | "destination">): string {
  return `${kind.terms.of}${describeSource(inputs.source)} to ${destination.name}`;
}

/** What a publication does: "job 7 of docs.example.com is copied to s3://docs". */
function actionText<T extends Published>(
  { terms }: PublicationKind<T>,
  inputs: T["inputs"],
  destinationName: string,
): string {
  return `${terms.of}${describeSource(inputs.source)} ${terms.action} to ${destinationName}${fetchText(inputs)}`;
}
