import { explained } from "../../base/runtime/messages/explainedError";
import { signerFrom } from "../../publishing/index";
import { changedByTable, checkByTable, type CheckFailure, withEffect } from "../../resource/inputTable";
import { type Declaration, DEFAULT_LIMIT_MS, goneDecision, type LifeCycle } from "../../resource/lifeCycle";
import { rowsThat, unknownOutputs } from "../../resource/outputTable";
import type { SharedByPublications } from "./context";
import { converge } from "./converge";
import { foreseeFetch } from "./foresee";
import { bundleFailures, localFailures } from "./localFailures";
import { changedPublicationInputs, planPublication } from "./plan";
import { type Published, withDrift } from "./publication";
import type { PublicationKind } from "./publicationKind";
import { asOwner, linkOf, publicationWork } from "./publicationWork";
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
  const { inputsOf, itemsOf, noBookkeeping } = kind.state;
  /** The address of the newest item of a state. */
  const addressIn = (state: T["state"]): string => {
    const [newest] = itemsOf(state);
    const { name, addressOf } = kind.destinationOf(inputsOf(state));
    return newest ? addressOf(newest) : name;
  };
  /** A place that another resource of this program has, or, for a new resource, another stack. */
  const placeConflicts = (
    inputs: T["inputs"],
    { urn, declare }: Declaration,
    isNew: boolean,
  ): CheckFailure[] => {
    const destination = kind.destinationOf(inputs);
    const property = destination.input;
    const other = declare(destination.ownedPlaces());
    if (other !== undefined) {
      const reason =
        `is the place of ${other}, too, which this program declares beside ${urn}. ` +
        `A place belongs to one resource: give each its own, such as ${destination.placeFor(nameIn(urn))}`;
      return [{ property, reason }];
    }
    // before an export is waited for; `up` looks again
    const refusal = isNew && inputs.takeOver !== true ? destination.refusal(urn) : undefined;
    return refusal === undefined ? [] : [{ property, reason: `${refusal.message}. ${refusal.remedy}` }];
  };
  return {
    outputs: kind.outputs,
    noBookkeeping,

    /** The destination: its items change over the resource's lifetime, the destination does not. */
    idOf: (state) => kind.destinationOf(inputsOf(state)).name,

    check(given, configuration, before = {}, declaration) {
      const { inputs, failures } = checkByTable<T["inputs"]>(kind.table, given, configuration);
      if (failures.length === 0) {
        const isNew = Object.keys(before).length === 0;
        failures.push(...kind.conflicts(inputs));
        if (declaration) failures.push(...placeConflicts(inputs, declaration, isNew));
      }
      const changed = changedByTable(kind.table, inputs, before as Partial<T["inputs"]>);
      const isPublished = withEffect(kind.table, changed, "content", "replaces").length > 0;
      if (failures.length > 0 || !isPublished) return { inputs, failures };
      const verify = (name: string): unknown => signerFrom(name, configuration);
      const key = localFailures([{ property: "signingKeyEnv", value: inputs.signingKeyEnv, verify }]);
      failures.push(...bundleFailures(inputs.source), ...kind.localFailures(inputs), ...key);
      return { inputs, failures };
    },

    diff(inputs, state, { nowMs }) {
      const changed = changedPublicationInputs(kind, inputs, state);
      const replaces = withEffect(kind.table, changed, "replaces");
      const placeOf = (each: T["inputs"]): string => JSON.stringify(kind.destinationOf(each).place());
      if (placeOf(inputs) !== placeOf(inputsOf(state))) {
        const text = `${replaces.join(" and ")} changed: a ${item} is ${kind.terms.made} at the new destination, and the old ${items} (${addressIn(state)}) are removed`;
        return { changed, replaces, hidden: false, decision: { code: "REPLACED", text } };
      }
      const { action, code, text } = planPublication(kind, inputs, state, nowMs);
      const hidden = action !== "record" && changed.length === 0;
      return { changed, replaces: [], hidden, decision: { code, text } };
    },

    predict(inputs, state, { nowMs }) {
      const { action } = planPublication(kind, inputs, state, nowMs);
      if (!state || action === "publish") return { ...inputs, ...kind.state.outputsBefore(inputs) };
      const { outputs } = kind.state.stateOf(inputs, itemsOf(state), linkOf(kind, state));
      const ofLink = action === "sign" && unknownOutputs(rowsThat("isRenewed", kind.outputs));
      return { ...outputs, ...ofLink };
    },

    async foresee(context, inputs, state) {
      const { action } = planPublication(kind, inputs, state, context.clock.now());
      if (action === "publish") await foreseeFetch(context, inputs);
    },

    create: (context, inputs, limitMs = DEFAULT_LIMIT_MS) =>
      converge(publicationWork(kind, context, inputs, undefined), limitMs),

    /** Compares the newest item with what was published. Fetches nothing from the service. */
    async read(given, state) {
      const inputs = inputsOf(state);
      const [newest, ...older] = itemsOf(state);
      if (!newest) return { inputs, state };
      try {
        const stored = publicationWork(kind, given, inputs, state);
        return await asOwner(stored, undefined, COMPARE_LIMIT_MS, async ({ context, destination }) => {
          const compared = await destination.compare(context, newest);
          // the state must keep the earlier items that are left
          if (compared !== "gone" || older.length > 0) return { inputs, state: withDrift(state, compared) };
          // also the mark, and what an interrupted run left
          const warning = {
            subject: destination.name,
            failed: `the mark of this resource stays, although the ${item} is gone`,
            consequence: "",
          };
          await attempted(context, warning, () => destination.release(context, [newest]));
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
      converge(publicationWork(kind, context, inputs, state), limitMs),

    /** Removes every item that was published and not yet removed. Files of others at the destination stay. */
    async remove(given, state) {
      const inputs = inputsOf(state);
      const stored = publicationWork(kind, given, inputs, state);
      const { name, addressOf } = stored.destination;
      const records = runRecords(stored);
      const successors = records.findSuccessors();
      try {
        const all = [...(successors?.items ?? []), ...itemsOf(state)];
        const own = [...new Map(all.map((each) => [addressOf(each), each])).values()];
        await asOwner(stored, records.findOwner(), DEFAULT_LIMIT_MS, ({ context, destination }) =>
          destination.release(context, own),
        );
        if (successors) records.forget();
      } catch (error) {
        const left = `The ${items} stay in the state; with the option \`retainOnDelete\` they stay where they are`;
        throw explained(error, name, left);
      }
    },
  };
}
