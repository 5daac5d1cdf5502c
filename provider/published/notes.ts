import type { Context } from "../resource/context";
import type { PublishingResource } from "../resource/publicationRecords";
import type { Published, PublicationWork } from "./publication";

/** What a run noted of its publication before the engine had the state. */
interface Note<T extends Published> {
  /** The newest item of the state that the run began with; absent for a create. */
  readonly after?: string | undefined;
  readonly inputs: T["inputs"];
  /** The newest first: what was published, then all that the resource had before. */
  readonly items: readonly T["item"][];
}

/** What was noted of one resource at one place. */
export class PublicationNotes<T extends Published> {
  readonly #work: PublicationWork<T, Context>;
  /** None without a URN: two resources could not be told apart. The first is that of today. */
  readonly #resources: readonly PublishingResource[];

  constructor(work: PublicationWork<T, Context>) {
    this.#work = work;
    const { kind, context, inputs } = work;
    const place = JSON.stringify([kind.words.resource, kind.destinationKey(inputs)]);
    const urns = [context.urn, context.formerUrn].filter((urn) => urn !== undefined);
    this.#resources = urns.map((urn) => ({ urn, place }));
  }

  /** Items in the place that the state does not have: a run that was killed published them. */
  find(): Note<T> | undefined {
    const { kind, context, inputs: wanted } = this.#work;
    const known = this.#storedAddresses;
    for (const resource of this.#resources) {
      const note = context.publicationRecords.find(resource) as Partial<Note<T>> | undefined;
      if (!note?.inputs || !Array.isArray(note.items)) continue;
      const { after, inputs } = note;
      const items = (note.items as T["item"][]).filter(
        (item) => !known.includes(kind.addressOf(item, wanted)),
      );
      if (items.length > 0) return { after, inputs, items };
    }
    return undefined;
  }

  /** What a killed run published from this very state. A replacement at the same place has a note of its own. */
  findSuccessors(): readonly T["item"][] {
    const note = this.find();
    return note?.after !== undefined && note.after === this.#storedAddresses[0] ? note.items : [];
  }

  /** Notes what is published now, before anything else happens. */
  save(items: readonly T["item"][]): void {
    const [resource] = this.#resources;
    if (!resource) return;
    const { kind, context, inputs } = this.#work;
    const note: Note<T> = { after: this.#storedAddresses[0], inputs, items };
    const problem = context.publicationRecords.save(resource, note);
    if (problem === undefined) return;
    context.reporter.warn(
      `the ${kind.words.item} could not be noted in Pulumi's home folder (${problem}): if this run is killed, the next one publishes it again`,
    );
  }

  /** The items are part of the state that is about to be returned. */
  handOver(): void {
    for (const resource of this.#resources) this.#work.context.publicationRecords.handOver(resource);
  }

  /** The items are removed. */
  forget(): void {
    for (const resource of this.#resources) this.#work.context.publicationRecords.forget(resource);
  }

  /** Where the items of the state are, the newest first. */
  get #storedAddresses(): string[] {
    const { kind, inputs, stored } = this.#work;
    return stored ? kind.itemsOf(stored).map((item) => kind.addressOf(item, inputs)) : [];
  }
}
