import { changedByTable, checkByTable, withEffect } from "../../resource/inputTable";
import { rowsThat, unknownOutputs } from "../../resource/outputTable";
import { DEFAULT_LIMIT_MS, goneDecision, type LifeCycle } from "../../resource/lifeCycle";
import { withinLimit } from "../../resource/withinLimit";
import { signerFrom } from "../../images/signing/signer";
import { isOwnerId } from "../ownership/owner";
import { explained } from "../../runtime/messages/explainedError";
import type { SharedByPublications } from "./context";
import { converge } from "./converge";
import { bundleFailures, localFailures } from "./localFailures";
import { changedInputs, planPublication } from "./plan";
import { RunRecords } from "./runRecords";
import { releaseAs } from "./takeOver";
import {
  linkOf,
  ownerOfState,
  withDrift,
  type Published,
  type PublicationKind,
  type PublicationWork,
} from "./publication";

/**
 * Time limit of a comparison with what was published, in milliseconds: it reads large archives and sites in a folder completely.
 */
const COMPARE_LIMIT_MS = 10 * 60_000;

/** The life cycle shared by all resources that publish bundles at a destination: BundleCopy and AirGapKit. */
export function publishedLifeCycle<T extends Published>(
  kind: PublicationKind<T>,
): LifeCycle<T["inputs"], T["state"], SharedByPublications> {
  const { resource, item, items } = kind.terms;
  const changesContent = (inputs: T["inputs"], before: Partial<T["inputs"]>): boolean =>
    withEffect(kind.table, changedByTable(kind.table, inputs, before), "content", "replaces").length > 0;
  return {
    outputs: kind.outputs,
    noBookkeeping: kind.noBookkeeping,

    /** The destination: its items change over the resource's lifetime, the destination does not. */
    idOf: (state) => kind.destinationName(kind.inputsOf(state)),

    check(given, configuration, before = {}) {
      const { inputs, failures } = checkByTable<T["inputs"]>(kind.table, given, configuration);
      if (failures.length === 0) failures.push(...kind.conflicts(inputs));
      const isPublished = changesContent(inputs, before as Partial<T["inputs"]>);
      if (failures.length > 0 || !isPublished) return { inputs, failures };
      const verify = (name: string): unknown => signerFrom(name, configuration);
      const key = localFailures([{ property: "signingKeyEnv", value: inputs.signingKeyEnv, verify }]);
      failures.push(...bundleFailures(inputs.source), ...kind.localFailures(inputs), ...key);
      return { inputs, failures };
    },

    diff(inputs, state, { nowMs }) {
      const changed = changedInputs(kind, inputs, state);
      const replaces = withEffect(kind.table, changed, "replaces");
      const before = kind.inputsOf(state);
      if (JSON.stringify(kind.placeOf(inputs)) !== JSON.stringify(kind.placeOf(before))) {
        const [newest] = kind.itemsOf(state);
        const there = newest ? kind.addressOf(newest, before) : kind.destinationName(before);
        const text = `${replaces.join(" and ")} changed: a ${item} is ${kind.terms.made} at the new destination, and the old ${items} (${there}) are removed`;
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
      const address = kind.addressOf(newest, inputs);
      try {
        const owner = ownerOfState(kind, state, given.urn);
        const compared = await withinLimit(given, COMPARE_LIMIT_MS, (context) =>
          kind.compare({ ...context, owner }, inputs, newest),
        );
        if (compared === "same") return { inputs, state: withDrift(state) };
        // the state must keep the earlier items that are left
        if (compared === "gone" && older.length === 0) {
          await withinLimit(given, COMPARE_LIMIT_MS, (context) =>
            removeMarks({ kind, context: { ...context, owner }, inputs, stored: state }),
          );
          return undefined;
        }
        return { inputs, state: withDrift(state, compared) };
      } catch (error) {
        throw explained(error, address, "The state is unchanged");
      }
    },

    gone(state) {
      const [newest] = kind.itemsOf(state);
      const inputs = kind.inputsOf(state);
      return goneDecision("DRIFTED", newest ? kind.addressOf(newest, inputs) : kind.destinationName(inputs));
    },

    /** An item can only be made from its inputs. */
    lookUp: (_context, id) =>
      Promise.reject(new Error(`${id}: ${resource} cannot be looked up: declare it with all its inputs.`)),

    import: (context, id) => kind.import(context, id),

    update: (context, state, inputs, limitMs = DEFAULT_LIMIT_MS) =>
      converge({ kind, context, inputs, stored: state }, limitMs),

    /** Removes every item that was published and not yet removed. Files of others at the destination stay. */
    async remove(given, state) {
      const inputs = kind.inputsOf(state);
      const records = new RunRecords({ kind, context: given, inputs, stored: state });
      const successors = records.findSuccessors();
      try {
        const owner = ownerOfState(kind, state, given.urn);
        await withinLimit(given, DEFAULT_LIMIT_MS, async (context) => {
          const work = { kind, context: { ...context, owner }, inputs, stored: state };
          const all = new Map(
            [...(successors?.items ?? []), ...kind.itemsOf(state)].map((each) => [
              kind.addressOf(each, inputs),
              each,
            ]),
          );
          const own = [...all.values()];
          const formerOwners = successors?.formerOwners?.filter((id) => isOwnerId(id) && id !== owner.id);
          await releaseAs(formerOwners ?? [], work, own);
          await kind.remove(work.context, inputs, own, []);
        });
        if (successors) records.forget();
      } catch (error) {
        const left = `The ${items} stay in the state; with the option \`retainOnDelete\` they stay where they are`;
        throw explained(error, kind.destinationName(inputs), left);
      }
    },
  };
}

/** Removes the marks that a resource leaves when a refresh removes it from the state: no later run knows its owner. Best effort. */
async function removeMarks<T extends Published>({
  kind,
  context,
  inputs,
  stored,
}: PublicationWork<T>): Promise<void> {
  if (stored?.bookkeeping.owner === undefined) return;
  try {
    await kind.remove(context, inputs, kind.itemsOf(stored), []);
  } catch (error) {
    context.signal.throwIfAborted();
    const { message } = explained(error, kind.destinationName(inputs), "");
    context.reporter.warn(
      `the mark of this resource stays, although the ${kind.terms.item} is gone: ${message}`,
    );
  }
}
