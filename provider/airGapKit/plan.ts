import type { Decision } from "../resource/decision";
import { changedByTable, meaning } from "../resource/inputTable";
import { describeSource } from "../source/bundleSource";
import { isUnknown } from "../words/unknown";
import { AIR_GAP_KIT_INPUTS, type AirGapKitInputs, type CheckedInputs } from "./inputs";
import { inputsOf, type AirGapKitState } from "./state";

/** The one thing to do so that the kit becomes what the inputs ask for, and why. */
export type Plan = Decision &
  (
    | /** Fetch the bundle and the images, and write a kit. */
      { readonly action: "write"; readonly because: "NEW" | "NEW_CONTENT" | "DRIFTED" }
      /** Remove earlier kits that are not to be kept any longer. */
    | { readonly action: "prune"; readonly because: "SETTINGS"; readonly state: AirGapKitState }
    /** Remember the inputs in this state; ask nobody. */
    | {
        readonly action: "record";
        readonly because: "SETTINGS" | "UP_TO_DATE";
        readonly state: AirGapKitState;
      }
  );

/**
 * Decides what has to happen; does nothing itself. Previews and updates both decide here, so that an update does what its
 * preview said.
 *
 * @param state `undefined` for a resource that does not exist yet
 */
export function planKit(inputs: CheckedInputs, state: AirGapKitState | undefined): Plan {
  const folder = isUnknown(inputs.folder) ? "a folder that is not known yet" : inputs.folder;
  const what = `a kit of ${describeSource(inputs.source)} is written to ${folder}`;
  if (!state) return { action: "write", because: "NEW", text: what };

  const changed = changedInputs(inputs, state);
  const again = reasonsToWrite(inputs, state, changed);
  if (again.length > 0) {
    return { action: "write", because: "NEW_CONTENT", text: `${again.join(", ")}, so ${what}` };
  }
  const { drifted, kits } = state.bookkeeping;
  const { path } = state.outputs;
  if (drifted !== undefined) {
    const seen = drifted === "gone" ? "is not there any more" : "is not as it was written";
    return { action: "write", because: "DRIFTED", text: `${path} ${seen}, so ${what}` };
  }
  if (kits.length > inputs.keep + 1) {
    const surplus = kits.length - inputs.keep - 1;
    return {
      action: "prune",
      because: "SETTINGS",
      text: `earlier kits in ${folder} are removed: ${surplus}`,
      state,
    };
  }
  if (changed.length === 0) {
    return { action: "record", because: "UP_TO_DATE", text: `${path} is the kit`, state };
  }
  const text = `${changed.join(" and ")} changed: remembered without a request`;
  return { action: "record", because: "SETTINGS", text, state };
}

/** The names of the inputs that are not as they were when the outputs were made. */
export function changedInputs(inputs: CheckedInputs, state: AirGapKitState): (keyof AirGapKitInputs)[] {
  return changedByTable<AirGapKitInputs>(AIR_GAP_KIT_INPUTS, inputs, inputsOf(state));
}

/** Why the kit that is there does not do any more. */
function reasonsToWrite(
  { requireSelfContained, limits }: CheckedInputs,
  { outputs, bookkeeping }: AirGapKitState,
  changed: readonly (keyof AirGapKitInputs)[],
): string[] {
  const bundle = bookkeeping.kits[0]?.bundle;
  const isOver = bundle && (bundle.size > limits.archiveBytes || bundle.files > limits.files);
  return [
    ...meaning(AIR_GAP_KIT_INPUTS, changed, "content").map((name) => `${name} changed`),
    ...(requireSelfContained && !outputs.selfContained ? ["a self-contained bundle is required"] : []),
    ...(isOver ? ["the bundle is over its limits"] : []),
  ];
}
