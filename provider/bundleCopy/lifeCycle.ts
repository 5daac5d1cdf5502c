import { destinationOf } from "../destination/openPlace";
import { placeChange } from "../destination/place";
import { meaning } from "../resource/inputTable";
import { DEFAULT_LIMIT_MS, READ_LIMIT_MS, type LifeCycle } from "../resource/lifeCycle";
import { startDeadline } from "../time/deadline";
import { explained } from "../words/explainedError";
import { converge } from "./converge";
import { BUNDLE_COPY_INPUTS, checkInputs, type CheckedInputs } from "./inputs";
import { withScratch } from "../source/workFolders";
import { changedInputs, planCopy } from "./plan";
import { inputsOf, type BundleCopyState } from "./state";

/** The life of a bundle's copy. */
export const bundleCopy: LifeCycle<CheckedInputs, BundleCopyState> = {
  noBookkeeping: { copies: [] },

  /** The place: the copies there change over the resource's life, the place does not. */
  idOf: ({ outputs }) => destinationOf(outputs.destination).id,

  check: checkInputs,

  diff(inputs, state, { nowMs }) {
    const changed = changedInputs(inputs, state);
    const replaces = meaning(BUNDLE_COPY_INPUTS, changed, "replaces");
    if (replaces.length > 0 && placeChange(state.outputs.destination, inputs.destination) === "replaces") {
      const text = `destination is another place than ${state.outputs.uri}: the bundle is copied there, and the copies here go`;
      return { changed, replaces, hidden: false, decision: { because: "REPLACED", text } };
    }
    const { action, because, text } = planCopy(inputs, state, nowMs);
    const hidden = action !== "record" && changed.length === 0;
    return { changed, replaces: [], hidden, decision: { because, text } };
  },

  create: (context, inputs, limitMs = DEFAULT_LIMIT_MS) => converge(context, inputs, undefined, limitMs),

  /** Asks whether the newest copy is still there as it was made. Nothing is fetched from the service. */
  async read(given, state) {
    const { outputs, bookkeeping } = state;
    const inputs = inputsOf(state);
    const [newest, ...older] = bookkeeping.copies;
    if (!newest) return { inputs, state };
    const context = { ...given, deadline: startDeadline(given.clock, READ_LIMIT_MS) };
    const destination = destinationOf(outputs.destination);
    try {
      const seen = await withScratch(context, (place) => destination.look(newest.copy, place));
      // what is left of earlier copies is not to be forgotten
      if (seen === "gone" && older.length === 0) return undefined;
      const { wantedSha256, copies } = bookkeeping;
      return {
        inputs,
        state: {
          outputs,
          bookkeeping: { wantedSha256, copies, ...(seen !== "same" && { drifted: seen }) },
        },
      };
    } catch (error) {
      throw explained(error, outputs.uri, "The state is unchanged");
    }
  },

  /** A copy is made from its inputs. */
  lookUp: (_context, id) =>
    Promise.reject(
      new Error(`${id}: a BundleCopy is not looked up: declare it with its source and destination.`),
    ),

  update: (context, state, inputs, limitMs = DEFAULT_LIMIT_MS) => converge(context, inputs, state, limitMs),

  /** Removes every copy that was made and not removed yet. What others keep at that place stays. */
  async remove(given, { outputs, bookkeeping }) {
    const context = { ...given, deadline: startDeadline(given.clock, DEFAULT_LIMIT_MS) };
    const copies = bookkeeping.copies.map(({ copy }) => copy);
    try {
      if (copies.length > 0) {
        const destination = destinationOf(outputs.destination);
        await withScratch(context, (place) => destination.remove(copies, [], place));
      }
    } catch (error) {
      const left =
        "The copies stay in the state; with the option `retainOnDelete` they are left where they are";
      throw explained(error, outputs.uri, left);
    }
  },
};
