import type { Context } from "../resource/context";
import type { PublishingResource } from "../resource/publicationRecords";
import type { Published, PublicationKind } from "./publication";

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
  readonly #kind: PublicationKind<T>;
  readonly #context: Pick<Context, "publicationRecords" | "reporter">;
  readonly #inputs: T["inputs"];
  /** The state that the engine has. */
  readonly #state: T["state"] | undefined;
  /** None without a URN: two resources could not be told apart. The first is that of today. */
  readonly #resources: readonly PublishingResource[];

  constructor(
    kind: PublicationKind<T>,
    context: Pick<Context, "publicationRecords" | "reporter" | "urn" | "formerUrn">,
    inputs: T["inputs"],
    state: T["state"] | undefined,
  ) {
    this.#kind = kind;
    this.#context = context;
    this.#inputs = inputs;
    this.#state = state;
    const place = JSON.stringify([kind.words.resource, kind.placeKey(inputs)]);
    const urns = [context.urn, context.formerUrn].filter((urn) => urn !== undefined);
    this.#resources = urns.map((urn) => ({ urn, place }));
  }

  /** Items in the place that the state does not have: a run that was killed published them. */
  find(): Note<T> | undefined {
    const known = new Set(this.#addressesOf(this.#state && this.#kind.itemsOf(this.#state)));
    for (const resource of this.#resources) {
      const note = this.#context.publicationRecords.find(resource) as Partial<Note<T>> | undefined;
      if (!note?.inputs || !Array.isArray(note.items)) continue;
      const { after, inputs } = note;
      const items = (note.items as T["item"][]).filter(
        (item) => !known.has(this.#kind.addressOf(item, this.#inputs)),
      );
      if (items.length > 0) return { after, inputs, items };
    }
    return undefined;
  }

  /** What a killed run published from this very state. A replacement at the same place has a note of its own. */
  findSuccessors(): readonly T["item"][] {
    const note = this.find();
    return note?.after !== undefined && note.after === this.#newest ? note.items : [];
  }

  /** Notes what is published now, before anything else happens. */
  save(items: readonly T["item"][]): void {
    const [resource] = this.#resources;
    if (!resource) return;
    const note: Note<T> = { after: this.#newest, inputs: this.#inputs, items };
    const problem = this.#context.publicationRecords.save(resource, note);
    if (problem === undefined) return;
    const { item } = this.#kind.words;
    this.#context.reporter.warn(
      `the ${item} could not be noted in Pulumi's home folder (${problem}): if this run is killed, the next one publishes it again`,
    );
  }

  /** The items are part of the state that is about to be returned. */
  handOver(): void {
    for (const resource of this.#resources) this.#context.publicationRecords.handOver(resource);
  }

  /** The items are removed. */
  forget(): void {
    for (const resource of this.#resources) this.#context.publicationRecords.forget(resource);
  }

  get #newest(): string | undefined {
    return this.#addressesOf(this.#state && this.#kind.itemsOf(this.#state))[0];
  }

  #addressesOf(items: readonly T["item"][] = []): string[] {
    return items.map((item) => this.#kind.addressOf(item, this.#inputs));
  }
}
