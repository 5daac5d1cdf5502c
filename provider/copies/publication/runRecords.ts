import type { Owner } from "../../publishing/index";
import type { PublicationContext } from "./context";
import { type Published, withFormer } from "./publication";
import type { PublicationWork } from "./publicationWork";

/** What a run recorded about its publication before the engine saved the state. */
interface RunRecord<T extends Published> {
  /** The newest item of the state that the run started with; absent for a create. */
  readonly after?: string | undefined;
  readonly inputs: T["inputs"];
  /** The ID in the mark at the destination. Absent in records of versions without marks. */
  readonly owner?: string | undefined;
  /** Newest first: the item that the run published, then the earlier items of the resource. */
  readonly items: readonly T["item"][];
  /** Whether all of the first item was published. Absent in records of versions that did not say it. */
  readonly isWhole?: boolean | undefined;
}

export interface RunRecords<T extends Published> {
  /** What a killed run published. */
  find(): RunRecord<T> | undefined;
  /** The owner in the record of a killed run, by its ID. */
  findOwner(): string | undefined;
  /** Items at the destination that the state does not contain: a killed run published them. */
  findBesideState(): RunRecord<T> | undefined;
  /** What killed runs published from this exact state. A replacement at the same destination has its own record. */
  findSuccessors(): RunRecord<T> | undefined;
  /** Records what is published now, before the operation continues. */
  save(record: Pick<RunRecord<T>, "inputs" | "items" | "isWhole">, owner: Owner): void;
  /** The items are part of the state that the operation is about to return. */
  handOver(): void;
  /** The items have been removed. */
  forget(): void;
}

/** The records about one resource at one destination. A run that follows a killed run reads them. */
export function runRecords<T extends Published>(work: PublicationWork<T, PublicationContext>): RunRecords<T> {
  const { kind, context, destination, stored } = work;
  const { publicationRecords, reporter } = context;
  const place = JSON.stringify([kind.terms.resource, destination.key()]);
  /** Empty without a URN: two resources could not be distinguished. The first entry has the current URN. */
  const resources = [context.urn, context.formerUrn].flatMap((urn) =>
    urn === undefined ? [] : { urn, place },
  );
  const { addressOf } = destination;
  /** The addresses of the items in the state, newest first. */
  const addresses = stored ? kind.state.itemsOf(stored).map(addressOf) : [];

  const find = (known: readonly string[] = []): RunRecord<T> | undefined => {
    for (const resource of resources) {
      const record = publicationRecords.find(resource) as Partial<RunRecord<T>> | undefined;
      if (!record?.inputs || !Array.isArray(record.items)) continue;
      const { after, inputs, owner, isWhole } = record;
      const recorded = record.items as T["item"][];
      // without a word about it, the first item counts as neither whole nor unusable
      const all =
        isWhole === true ? recorded : withFormer(recorded, isWhole === false ? "partial" : "changed");
      const items = all.filter((item) => !known.includes(addressOf(item)));
      if (items.length > 0) return { after, inputs, owner, items };
    }
    return undefined;
  };

  return {
    find: () => find(),

    findOwner: () => find()?.owner,

    findBesideState: () => find(addresses),

    findSuccessors() {
      const record = find();
      return record?.after !== undefined && record.after === addresses[0] ? record : undefined;
    },

    save({ inputs, items, isWhole }, { id: owner }) {
      const [resource] = resources;
      if (!resource) return;
      const record: RunRecord<T> = { after: addresses[0], inputs, owner, items, isWhole };
      const problem = publicationRecords.save(resource, record);
      if (problem === undefined) return;
      reporter.warn(
        `the ${kind.terms.item} could not be recorded in Pulumi's home folder (${problem}): if this run is killed, the next one publishes it again`,
      );
    },

    handOver: () => resources.forEach((resource) => publicationRecords.handOver(resource)),

    forget: () => resources.forEach((resource) => publicationRecords.forget(resource)),
  };
}
