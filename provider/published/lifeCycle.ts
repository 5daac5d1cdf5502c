import { changedByTable, checkByTable, withEffect } from "../resource/inputTable";
import { DEFAULT_LIMIT_MS, goneDecision, type LifeCycle } from "../resource/lifeCycle";
import { withinLimit } from "../resource/withinLimit";
import { explained } from "../messages/explainedError";
import { converge } from "./converge";
import { changedInputs, planPublication } from "./plan";
import { PublicationNotes } from "./notes";
import { withDrift, type Published, type PublicationKind } from "./publication";

/**
 * Time limit of a comparison with what was published, in milliseconds: it reads large archives and sites in a folder completely.
 */
const COMPARE_LIMIT_MS = 10 * 60_000;

/** The life cycle shared by all resources that publish bundles at a destination: BundleCopy and AirGapKit. */
export function publishedLifeCycle<T extends Published>(
  kind: PublicationKind<T>,
): LifeCycle<T["inputs"], T["state"]> {
  const { resource, item, items } = kind.words;
  const changesContent = (inputs: T["inputs"], before: Partial<T["inputs"]>): boolean =>
    withEffect(kind.table, changedByTable(kind.table, inputs, before), "content", "replaces").length > 0;
  return {
    noBookkeeping: kind.noBookkeeping,

    /** The destination: its items change over the resource's lifetime, the destination does not. */
    idOf: (state) => kind.destinationName(kind.inputsOf(state)),

    check(given, configuration, before = {}) {
      const { inputs, failures } = checkByTable<T["inputs"]>(kind.table, given, configuration);
      const isPublished = changesContent(inputs, before as Partial<T["inputs"]>);
      if (failures.length === 0 && isPublished) failures.push(...kind.failuresHere(inputs, configuration));
      return { inputs, failures };
    },

    diff(inputs, state, { nowMs }) {
      const changed = changedInputs(kind, inputs, state);
      const replaces = withEffect(kind.table, changed, "replaces");
      const before = kind.inputsOf(state);
      if (JSON.stringify(kind.destinationKey(inputs)) !== JSON.stringify(kind.destinationKey(before))) {
        const [newest] = kind.itemsOf(state);
        const there = newest ? kind.addressOf(newest, before) : kind.destinationName(before);
        const text = `${replaces.join(" and ")} is another place than that of ${there}: a ${item} is ${kind.words.made} there, and the ${items} here go`;
        return { changed, replaces, hidden: false, decision: { because: "REPLACED", text } };
      }
      const { action, because, text } = planPublication(kind, inputs, state, nowMs);
      const hidden = action !== "record" && changed.length === 0;
      return { changed, replaces: [], hidden, decision: { because, text } };
    },

    create: (context, inputs, limitMs = DEFAULT_LIMIT_MS) =>
      converge({ kind, context, inputs, stored: undefined }, limitMs),

    /** Compares the newest item with what was published. Fetches nothing from the service. */
    async read(given, state) {
      const inputs = kind.inputsOf(state);
      const [newest, ...older] = kind.itemsOf(state);
      if (!newest) return { inputs, state };
      const address = kind.addressOf(newest, inputs);
      try {
        const seen = await withinLimit(given, COMPARE_LIMIT_MS, (context) =>
          kind.compare(context, inputs, newest),
        );
        if (seen === "same") return { inputs, state: withDrift(state) };
        // the state must keep the earlier items that are left
        if (seen === "gone" && older.length === 0) return undefined;
        return { inputs, state: withDrift(state, seen) };
      } catch (error) {
        throw explained(error, address, "The state is unchanged");
      }
    },

    gone(state) {
      const [newest] = kind.itemsOf(state);
      const inputs = kind.inputsOf(state);
      return goneDecision("DRIFTED", newest ? kind.addressOf(newest, inputs) : kind.destinationName(inputs));
    },

    /** Import is not supported: an item can only be made from its inputs. */
    lookUp: (_context, id) =>
      Promise.reject(new Error(`${id}: ${resource} cannot be looked up: declare it with all its inputs.`)),

    update: (context, state, inputs, limitMs = DEFAULT_LIMIT_MS) =>
      converge({ kind, context, inputs, stored: state }, limitMs),

    /** Removes every item that was published and not yet removed. Files of others at the destination stay. */
    async remove(given, state) {
      const inputs = kind.inputsOf(state);
      const notes = new PublicationNotes({ kind, context: given, inputs, stored: state });
      const successors = notes.findSuccessors();
      try {
        await withinLimit(given, DEFAULT_LIMIT_MS, (context) =>
          kind.remove(context, inputs, [...successors, ...kind.itemsOf(state)], []),
        );
        if (successors.length > 0) notes.forget();
      } catch (error) {
        const left = `The ${items} stay in the state; with the option \`retainOnDelete\` they are left where they are`;
        throw explained(error, kind.destinationName(inputs), left);
      }
    },
  };
}
