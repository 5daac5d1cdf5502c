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
  #formerOwners: readonly string[] | undefined;

  constructor(work: PublicationWork<T, PublicationContext>) {
    this.#work = work;
    const { kind, context, inputs } = work;
    const place = JSON.stringify([kind.terms.resource, kind.destinationKey(inputs)]);
    const urns = [context.urn, context.formerUrn].filter((urn) => urn !== undefined);
    this.#resources = urns.map((urn) => ({ urn, place }));
  }

  /** Finds items at the destination that the state does not contain: a killed run published them. */
  find(): RunRecord<T> | undefined {
    return this.#findBeside(this.#storedAddresses);
  }

  /** Finds everything that a killed run published, also items of the state that it marked as another owner. */
  findAll(): RunRecord<T> | undefined {
    return this.#findBeside([]);
  }

  /** Whether a killed run published another newest item: it may be an earlier one of the state. */
  hasOtherNewest(newest: T["item"]): boolean {
    const { kind, inputs } = this.#work;
    const [noted] = this.findAll()?.items ?? [];
    return noted !== undefined && kind.addressOf(noted, inputs) !== kind.addressOf(newest, inputs);
  }

  #findBeside(known: readonly string[]): RunRecord<T> | undefined {
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

  /** What killed runs published from this exact state. A replacement at the same destination has its own record. */
  findSuccessors(): RunRecord<T> | undefined {
    const record = this.findAll();
    return record?.after !== undefined && record.after === this.#storedAddresses[0] ? record : undefined;
  }

  /** Records what is published now, before the operation continues. */
  save(items: readonly T["item"][], owner: Owner): void {
    const { inputs } = this.#work;
    const formerOwners = this.#formerOwners;
    this.#write({ after: this.#storedAddresses[0], inputs, owner: owner.id, formerOwners, items });
  }

  /**
   * Records that an owner takes over what others published: the record is now that of its run.
   *
   * @param formerOwners whose marks may still be there
   */
  saveTakeOver(record: RunRecord<T>, owner: Owner, formerOwners: readonly string[]): void {
    this.#formerOwners = formerOwners;
    this.#write({ ...record, after: this.#storedAddresses[0], owner: owner.id, formerOwners });
  }

  #write(record: RunRecord<T>): void {
    const [resource] = this.#resources;
    if (!resource) return;
    const { kind, context } = this.#work;
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

  /** The addresses of the items in the state, newest first. */
  get #storedAddresses(): string[] {
    const { kind, inputs, stored } = this.#work;
    return stored ? kind.itemsOf(stored).map((item) => kind.addressOf(item, inputs)) : [];
  }
}
