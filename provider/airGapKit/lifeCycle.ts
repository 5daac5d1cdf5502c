import { diskFailure } from "../disk/diskFailure";
import { removeDrafts } from "../kit/draft";
import { lookAtKit, removeKits } from "../kit/lookAtKit";
import { meaning } from "../resource/inputTable";
import { DEFAULT_LIMIT_MS, type LifeCycle } from "../resource/lifeCycle";
import { explained } from "../words/explainedError";
import { converge, kitOf } from "./converge";
import { AIR_GAP_KIT_INPUTS, checkInputs, type CheckedInputs } from "./inputs";
import { draftOwner } from "./makeKit";
import { changedInputs, planKit } from "./plan";
import { inputsOf, type AirGapKitState } from "./state";

/** The life of a kit that is carried by hand. */
export const airGapKit: LifeCycle<CheckedInputs, AirGapKitState> = {
  noBookkeeping: { kits: [] },

  /** The folder: the kits in it change over the resource's life, the folder does not. */
  idOf: ({ outputs }) => outputs.folder,

  check: checkInputs,

  diff(inputs, state) {
    const changed = changedInputs(inputs, state);
    const replaces = meaning(AIR_GAP_KIT_INPUTS, changed, "replaces");
    if (replaces.length > 0) {
      const text = `folder is another one than that of ${state.outputs.path}: a kit is written there, and the kits here go`;
      return { changed, replaces, hidden: false, decision: { because: "REPLACED", text } };
    }
    const { action, because, text } = planKit(inputs, state);
    const hidden = action !== "record" && changed.length === 0;
    return { changed, replaces: [], hidden, decision: { because, text } };
  },

  create: (context, inputs, limitMs = DEFAULT_LIMIT_MS) => converge(context, inputs, undefined, limitMs),

  /** Looks whether the newest kit still lies there as it was written. Nobody is asked. */
  async read({ signal }, state) {
    const { outputs, bookkeeping } = state;
    const inputs = inputsOf(state);
    const [newest, ...older] = bookkeeping.kits;
    if (!newest) return { inputs, state };
    try {
      const seen = await lookAtKit(outputs.folder, newest.kit);
      // what is left of earlier kits is not to be forgotten
      if (seen === "gone" && older.length === 0) return undefined;
      const { kits } = bookkeeping;
      return { inputs, state: { outputs, bookkeeping: { kits, ...(seen !== "same" && { drifted: seen }) } } };
    } catch (error) {
      throw explained(diskFailure(error, outputs.folder, signal), outputs.path, "The state is unchanged");
    }
  },

  /** A kit is made from its inputs. */
  lookUp: (_context, id) =>
    Promise.reject(new Error(`${id}: an AirGapKit is not looked up: declare it with its source and folder.`)),

  update: (context, state, inputs, limitMs = DEFAULT_LIMIT_MS) => converge(context, inputs, state, limitMs),

  /** Removes every kit that was written and not removed yet, and what a killed run left. What others keep in that folder stays. */
  async remove(context, { outputs, bookkeeping }) {
    try {
      await removeKits(outputs.folder, bookkeeping.kits.map(kitOf), []);
      await removeDrafts(outputs.folder, draftOwner(context, outputs));
    } catch (error) {
      const left =
        "The kits stay in the state; with the option `retainOnDelete` they are left where they are";
      throw explained(diskFailure(error, outputs.folder, context.signal), outputs.path, left);
    }
  },
};
