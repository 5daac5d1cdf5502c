import { explained } from "../../base/runtime/messages/explainedError";
import { signerFrom } from "../../publishing/index";
import { changedByTable, checkByTable, type CheckFailure, withEffect } from "../../resource/inputTable";
import { type Declare, DEFAULT_LIMIT_MS, goneDecision, type LifeCycle } from "../../resource/lifeCycle";
import { rowsThat, unknownOutputs } from "../../resource/outputTable";
import type { SharedByPublications } from "./context";
import { converge } from "./converge";
import { bundleFailures, localFailures } from "./localFailures";
import { changedInputs, planPublication } from "./plan";
import { asOwner, linkOf, type PublicationKind, type Published, withDrift } from "./publication";
import { attempted } from "./recovery";
import { runRecords } from "./runRecords";

/** The name of the resource in a URN. */
const nameIn = (urn: string): string => urn.split("::").at(-1) ?? "";

/**
 * Time limit of a comparison with what was published, in milliseconds: it reads large archives and sites in a folder completely.
 */
const COMPARE_LIMIT_MS = 10 * 60_000;

/** The life cycle shared by all resources that publish bundles at a destination: BundleCopy and AirGapKit. */
export function publishedLifeCycle<T extends Published>(
  kind: PublicationKind<T>,
): LifeCycle<T["inputs"], T["state"], SharedByPublications> {
  const { resource, item, items } = kind.terms;
  /** The address of the newest item of a state. */
  const addressIn = (state: T["state"]): string => {
    const [newest] = kind.itemsOf(state);
    const inputs = kind.inputsOf(state);
    return newest ? kind.addressOf(newest, inputs) : kind.destinationName(inputs);
  };
  /** A place that another resource of this program has. */
  const placeConflicts = (inputs: T["inputs"], declare: Declare): CheckFailure[] => {
    const conflict = declare(kind.placesOf(inputs));
    if (conflict === undefined) return [];
    const { urn, other } = conflict;
    const reason =
      `is the place of ${other}, too, which this program declares beside ${urn}. ` +
      `A place belongs to one resource: give each its own, such as ${kind.ownPlace(inputs, nameIn(urn))}`;
    return [{ property: kind.placeInput, reason }];
  };
  return {
    outputs: kind.outputs,
    noBookkeeping: kind.noBookkeeping,

    /** The destination: its items change over the resource's lifetime, the destination does not. */
    idOf: (state) => kind.destinationName(kind.inputsOf(state)),

    check(given, configuration, before = {}, declare = () => undefined) {
      const { inputs, failures } = checkByTable<T["inputs"]>(kind.table, given, configuration);
      if (failures.length === 0) failures.push(...kind.conflicts(inputs), ...placeConflicts(inputs, declare));
      const changed = changedByTable(kind.table, inputs, before as Partial<T["inputs"]>);
      const isPublished = withEffect(kind.table, changed, "content", "replaces").length > 0;
      if (failures.length > 0 || !isPublished) return { inputs, failures };
      const verify = (name: string): unknown => signerFrom(name, configuration);
      const key = localFailures([{ property: "signingKeyEnv", value: inputs.signingKeyEnv, verify }]);
      failures.push(...bundleFailures(inputs.source), ...kind.localFailures(inputs), ...key);
      return { inputs, failures };
    },

    diff(inputs, state, { nowMs }) {
      const changed = changedInputs(kind, inputs, state);
      const replaces = withEffect(kind.table, changed, "replaces");
      const placeOf = (each: T["inputs"]): string => JSON.stringify(kind.placeOf(each));
      if (placeOf(inputs) !== placeOf(kind.inputsOf(state))) {
        const text = `${replaces.join(" and ")} changed: a ${item} is ${kind.terms.made} at the new destination, and the old ${items} (${addressIn(state)}) are removed`;
        return { changed, replaces, hidden: false, decision: { code: "REPLACED", text } };
      }
      const { action, code, text } = planPublication(kind, inputs, state, nowMs);
      const hidden = action !== "record" && changed.length === 0;
      return { changed, replaces: [], hidden, decision: { code, text } };
    },

    predict(inputs, state, { nowMs }) {
      const { action } = planPublication(kind, inputs, state, nowMs);
      if (!state || action === "publish") return { ...inputs, ...kind.outputsBefore(inputs) };
      const { outputs } = kind.stateOf(inputs, kind.itemsOf(state), linkOf(kind, state));
      const ofLink = action === "sign" && unknownOutputs(rowsThat("isRenewed", kind.outputs));
      return { ...outputs, ...ofLink };
    },

    create: (context, inputs, limitMs = DEFAULT_LIMIT_MS) =>
      converge({ kind, context, inputs, stored: undefined }, limitMs),

    /** Compares the newest item with what was published. Fetches nothing from the service. */
    async read(given, state) {
      const inputs = kind.inputsOf(state);
      const [newest, ...older] = kind.itemsOf(state);
      if (!newest) return { inputs, state };
      try {
        const stored = { kind, context: given, inputs, stored: state };
        return await asOwner(stored, undefined, COMPARE_LIMIT_MS, async (work) => {
          const compared = await kind.compare(work.context, inputs, newest);
          // the state must keep the earlier items that are left
          if (compared !== "gone" || older.length > 0) return { inputs, state: withDrift(state, compared) };
          // also the mark, and what an interrupted run left
          const warning = {
            subject: kind.destinationName(inputs),
            failed: `the mark of this resource stays, although the ${item} is gone`,
            consequence: "",
          };
          await attempted(work.context, warning, () => kind.remove(work.context, inputs, [newest], []));
          return undefined;
        });
      } catch (error) {
        throw explained(error, addressIn(state), "The state is unchanged");
      }
    },

    gone: (state) => goneDecision("DRIFTED", addressIn(state)),

    /** An item can only be made from its inputs. */
    lookUp: (_context, id) =>
      Promise.reject(new Error(`${id}: ${resource} cannot be looked up: declare it with all its inputs.`)),

    import: (context, id) => kind.import(context, id),

    update: (context, state, inputs, limitMs = DEFAULT_LIMIT_MS) =>
      converge({ kind, context, inputs, stored: state }, limitMs),

    /** Removes every item that was published and not yet removed. Files of others at the destination stay. */
    async remove(given, state) {
      const inputs = kind.inputsOf(state);
      const stored = { kind, context: given, inputs, stored: state };
      const records = runRecords(stored);
      const successors = records.findSuccessors();
      try {
        const all = [...(successors?.items ?? []), ...kind.itemsOf(state)];
        const own = [...new Map(all.map((each) => [kind.addressOf(each, inputs), each])).values()];
        await asOwner(stored, records.findOwner(), DEFAULT_LIMIT_MS, (work) =>
          kind.remove(work.context, inputs, own, []),
        );
        if (successors) records.forget();
      } catch (error) {
        const left = `The ${items} stay in the state; with the option \`retainOnDelete\` they stay where they are`;
        throw explained(error, kind.destinationName(inputs), left);
      }
    },
  };
}
