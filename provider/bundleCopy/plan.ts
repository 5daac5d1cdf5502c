import { nameOfPlace } from "../destination/openPlace";
import { placeChange } from "../destination/place";
import { fromNow, type Decision } from "../resource/decision";
import { changedByTable, meaning } from "../resource/inputTable";
import { BUNDLE_COPY_INPUTS, type BundleCopyInputs, type CheckedInputs } from "./inputs";
import { describeSource } from "../source/bundleSource";
import { inputsOf, type BundleCopyState } from "./state";

/** The one thing to do so that the copy becomes what the inputs ask for, and why. */
export type Plan = Decision &
  (
    | /** Fetch the bundle, look through it, and put it in its place. */
      { readonly action: "copy"; readonly because: "NEW" | "NEW_CONTENT" | "DRIFTED" }
      /** Have another link signed for the copy that is there. */
    | {
        readonly action: "sign";
        readonly because: "RENEW_WINDOW" | "SETTINGS";
        readonly state: BundleCopyState;
      }
    /** Remove earlier copies that are not to be kept any longer. */
    | { readonly action: "prune"; readonly because: "SETTINGS"; readonly state: BundleCopyState }
    /** Remember the inputs in this state; ask nobody. */
    | {
        readonly action: "record";
        readonly because: "SETTINGS" | "UP_TO_DATE";
        readonly state: BundleCopyState;
      }
  );

/**
 * Decides what has to happen; does nothing itself. Previews and updates both decide here, so that an update does what its
 * preview said.
 *
 * @param state `undefined` for a resource that does not exist yet
 * @param nowMs milliseconds since 1970
 */
export function planCopy(inputs: CheckedInputs, state: BundleCopyState | undefined, nowMs: number): Plan {
  const what = `${describeSource(inputs.source)} is copied to ${nameOfPlace(inputs.destination)}`;
  if (!state) return { action: "copy", because: "NEW", text: what };

  const changed = changedInputs(inputs, state);
  const again = reasonsToCopy(inputs, state, changed);
  if (again.length > 0)
    return { action: "copy", because: "NEW_CONTENT", text: `${again.join(", ")}, so ${what}` };
  const { drifted, copies } = state.bookkeeping;
  if (drifted !== undefined) {
    const seen = drifted === "gone" ? "is not there any more" : "is not as it was made";
    return { action: "copy", because: "DRIFTED", text: `${state.outputs.uri} ${seen}, so ${what}` };
  }
  const { expiresAt, renewAfter, uri } = state.outputs;
  if (
    changed.includes("destination") &&
    placeChange(state.outputs.destination, inputs.destination) === "link"
  ) {
    return {
      action: "sign",
      because: "SETTINGS",
      text: `destination.linkLife changed: another link to ${uri} is signed`,
      state,
    };
  }
  if (expiresAt !== undefined && renewAfter !== undefined && nowMs >= Date.parse(renewAfter)) {
    const due = `since ${renewAfter} (${fromNow(Date.parse(renewAfter), nowMs)})`;
    return {
      action: "sign",
      because: "RENEW_WINDOW",
      text: `the link to ${uri} is due for renewal ${due}`,
      state,
    };
  }
  if (copies.length > inputs.keep + 1) {
    const surplus = copies.length - inputs.keep - 1;
    return {
      action: "prune",
      because: "SETTINGS",
      text: `earlier copies at ${uri} are removed: ${surplus}`,
      state,
    };
  }
  if (changed.length === 0)
    return { action: "record", because: "UP_TO_DATE", text: `${uri} is the copy`, state };
  const text = `${changed.join(" and ")} changed: remembered without a request`;
  return { action: "record", because: "SETTINGS", text, state };
}

/** The names of the inputs that are not as they were when the outputs were made. */
export function changedInputs(inputs: CheckedInputs, state: BundleCopyState): (keyof BundleCopyInputs)[] {
  return changedByTable<BundleCopyInputs>(BUNDLE_COPY_INPUTS, inputs, inputsOf(state));
}

/** Why the copy that is there does not do any more. */
function reasonsToCopy(
  inputs: CheckedInputs,
  { outputs }: BundleCopyState,
  changed: readonly (keyof BundleCopyInputs)[],
): string[] {
  const { sha256, requireSelfContained, limits } = inputs;
  const isOtherWay =
    changed.includes("destination") && placeChange(outputs.destination, inputs.destination) === "content";
  return [
    ...meaning(BUNDLE_COPY_INPUTS, changed, "content").map((name) => `${name} changed`),
    ...(isOtherWay ? ["destination changed"] : []),
    ...(sha256 !== undefined && sha256 !== outputs.sha256 ? ["another sha256 is wanted"] : []),
    ...(requireSelfContained && !outputs.selfContained ? ["a self-contained bundle is required"] : []),
    ...(outputs.size > limits.archiveBytes || outputs.files > limits.files
      ? ["the copy is over its limits"]
      : []),
  ];
}
