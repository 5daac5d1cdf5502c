import type { PublishingResource } from "./publicationRecords";
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

/** The records about one resource at one destination. A run that follows a killed run reads them. */
export class RunRecords<T extends Published> {
  readonly #work: PublicationWork<T, PublicationContext>;
  /** Empty without a URN: two resources could not be distinguished. The first entry has the current URN. */
  readonly #resources: readonly PublishingResource[];
  /** The addresses of the items in the state, newest first. */
  readonly #stored: readonly string[];
  #formerOwners: readonly string[] | undefined;

  constructor(work: PublicationWork<T, PublicationContext>) {
    this.#work = work;
    const { kind, context, inputs, stored } = work;
    const place = JSON.stringify([kind.terms.resource, kind.destinationKey(inputs)]);
    const urns = [context.urn, context.formerUrn].filter((urn) => urn !== undefined);
    this.#resources = urns.map((urn) => ({ urn, place }));
    this.#stored = stored ? kind.itemsOf(stored).map((item) => kind.addressOf(item, inputs)) : [];
  }

  /** Finds everything that a killed run published, also items of the state that it marked as another owner. */
  find(known: readonly string[] = []): RunRecord<T> | undefined {
    const { kind, context, inputs: wanted } = this.#work;
    for (const resource of this.#resources) {
      const record = context.publicationRecords.find(resource) as Partial<RunRecord<T>> | undefined;
      if (!record?.inputs || !Array.isArray(record.items)) continue;
      const { after, inputs, owner, formerOwners } = record;
      const items = (record.items as T["item"][]).filter(
        (item) => !known.includes(kind.addressOf(item, wanted)),
      );
      if (items.length > 0) return { after, inputs, owner, formerOwners, items };
    }
    return undefined;
  }

  /** Finds items at the destination that the state does not contain: a killed run published them. */
  findBesideState(): RunRecord<T> | undefined {
    return this.find(this.#stored);
  }

  /** What killed runs published from this exact state. A replacement at the same destination has its own record. */
  findSuccessors(): RunRecord<T> | undefined {
    const record = this.find();
    return record?.after !== undefined && record.after === this.#stored[0] ? record : undefined;
  }

  /**
   * Records what is published now, before the operation continues. The record is that of this run from now on.
   *
   * @param formerOwners whose marks may still be there. @default as before
   */
  save(
    { inputs, items }: Pick<RunRecord<T>, "inputs" | "items">,
    { id: owner }: Owner,
    formerOwners = this.#formerOwners,
  ): void {
    this.#formerOwners = formerOwners;
    const [resource] = this.#resources;
    if (!resource) return;
    const { kind, context } = this.#work;
    const record: RunRecord<T> = { after: this.#stored[0], inputs, owner, formerOwners, items };
    const problem = context.publicationRecords.save(resource, record);
    if (problem === undefined) return;
    context.reporter.warn(
      `the ${kind.terms.item} could not be recorded in Pulumi's home folder (${problem}): if this run is killed, the next one publishes it again`,
    );
  }

  /** The items are part of the state that the operation is about to return. */
  handOver(): void {
    for (const resource of this.#resources) this.#work.context.publicationRecords.handOver(resource);
  }

  /** The items have been removed. */
  forget(): void {
    for (const resource of this.#resources) this.#work.context.publicationRecords.forget(resource);
  }
}
