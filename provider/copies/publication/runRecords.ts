import type { PublicationContext } from "./context";
import type { Owner } from "../ownership/owner";
import type { Published, PublicationWork } from "./publication";

/** What a run recorded about its publication before the engine saved the state. */
export interface RunRecord<T extends Published> {
  /** The newest item of the state that the run started with; absent for a create. */
  readonly after?: string | undefined;
  readonly inputs: T["inputs"];
  /** The ID in the marks at the destination. Absent in records of versions without marks. */
  readonly owner?: string | undefined;
  /** Owners whose marks may still be at the items: runs that were killed before. */
  readonly formerOwners?: readonly string[] | undefined;
  /** Newest first: the item that the run published, then the earlier items of the resource. */
  readonly items: readonly T["item"][];
}

export type RunRecords<T extends Published> = ReturnType<typeof runRecords<T>>;

/** The records about one resource at one destination. A run that follows a killed run reads them. */
export function runRecords<T extends Published>(work: PublicationWork<T, PublicationContext>) {
  const { kind, context, inputs, stored } = work;
  const { publicationRecords, reporter } = context;
  const place = JSON.stringify([kind.terms.resource, kind.destinationKey(inputs)]);
  /** Empty without a URN: two resources could not be distinguished. The first entry has the current URN. */
  const resources = [context.urn, context.formerUrn].flatMap((urn) =>
    urn === undefined ? [] : { urn, place },
  );
  const addressOf = (item: T["item"]): string => kind.addressOf(item, inputs);
  /** The addresses of the items in the state, newest first. */
  const addresses = stored ? kind.itemsOf(stored).map(addressOf) : [];
  let ownersBefore: readonly string[] | undefined;

  const find = (known: readonly string[] = []): RunRecord<T> | undefined => {
    for (const resource of resources) {
      const record = publicationRecords.find(resource) as Partial<RunRecord<T>> | undefined;
      if (!record?.inputs || !Array.isArray(record.items)) continue;
      const { after, inputs, owner, formerOwners } = record;
      const items = (record.items as T["item"][]).filter((item) => !known.includes(addressOf(item)));
      if (items.length > 0) return { after, inputs, owner, formerOwners, items };
    }
    return undefined;
  };

  return {
    /** Finds everything that a killed run published, also items of the state that it marked as another owner. */
    find: () => find(),

    /** Finds items at the destination that the state does not contain: a killed run published them. */
    findBesideState: () => find(addresses),

    /** What killed runs published from this exact state. A replacement at the same destination has its own record. */
    findSuccessors() {
      const record = find();
      return record?.after !== undefined && record.after === addresses[0] ? record : undefined;
    },

    /**
     * Records what is published now, before the operation continues. The record is that of this run from now on.
     *
     * @param formerOwners whose marks may still be there. @default as before
     */
    save(
      { inputs, items }: Pick<RunRecord<T>, "inputs" | "items">,
      { id: owner }: Owner,
      formerOwners = ownersBefore,
    ): void {
      ownersBefore = formerOwners;
      const [resource] = resources;
      if (!resource) return;
      const record: RunRecord<T> = { after: addresses[0], inputs, owner, formerOwners, items };
      const problem = publicationRecords.save(resource, record);
      if (problem === undefined) return;
      reporter.warn(
        `the ${kind.terms.item} could not be recorded in Pulumi's home folder (${problem}): if this run is killed, the next one publishes it again`,
      );
    },

    /** The items are part of the state that the operation is about to return. */
    handOver: () => resources.forEach((resource) => publicationRecords.handOver(resource)),

    /** The items have been removed. */
    forget: () => resources.forEach((resource) => publicationRecords.forget(resource)),
  };
}
