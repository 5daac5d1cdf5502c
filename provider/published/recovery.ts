import type { Context } from "../resource/context";
import { decisionLine } from "../resource/decision";
import type { PublishingResource } from "../resource/publicationRecords";
import type { WorkContext } from "../source/workFolders";
import { planPublication } from "./plan";
import type { PublicationKind, PublishedInputs, PublishedItem, PublishedState } from "./publication";

/** What a run noted of its publication before the engine had the state. */
interface Note<Inputs, Item> {
  /** The newest item of the state that the run began with; absent for a create. */
  readonly after?: string | undefined;
  readonly inputs: Inputs;
  /** The newest first: what was published, then all that the resource had before. */
  readonly items: readonly Item[];
}

/** What was noted of one resource at one place. */
export class PublicationNotes<
  Inputs extends PublishedInputs,
  Item extends PublishedItem,
  State extends PublishedState,
> {
  readonly #kind: PublicationKind<Inputs, Item, State>;
  readonly #context: Pick<Context, "publicationRecords" | "reporter">;
  readonly #inputs: Inputs;
  /** The state that the engine has. */
  readonly #state: State | undefined;
  /** None without a URN: two resources could not be told apart. The first is that of today. */
  readonly #resources: readonly PublishingResource[];

  constructor(
    kind: PublicationKind<Inputs, Item, State>,
    context: Pick<Context, "publicationRecords" | "reporter" | "urn" | "formerUrn">,
    inputs: Inputs,
    state: State | undefined,
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
  find(): Note<Inputs, Item> | undefined {
    const known = new Set(this.#addressesOf(this.#state && this.#kind.itemsOf(this.#state)));
    for (const resource of this.#resources) {
      const note = this.#context.publicationRecords.find(resource) as Partial<Note<Inputs, Item>> | undefined;
      if (!note?.inputs || !Array.isArray(note.items)) continue;
      const { after, inputs } = note;
      const items = (note.items as Item[]).filter(
        (item) => !known.has(this.#kind.addressOf(item, this.#inputs)),
      );
      if (items.length > 0) return { after, inputs, items };
    }
    return undefined;
  }

  /** What a killed run published from this very state. A replacement at the same place has a note of its own. */
  findSuccessors(): readonly Item[] {
    const note = this.find();
    return note !== undefined && note.after === this.#newest ? note.items : [];
  }

  /** Notes what is published now, before anything else happens. */
  save(items: readonly Item[]): void {
    const [resource] = this.#resources;
    if (!resource) return;
    const note: Note<Inputs, Item> = { after: this.#newest, inputs: this.#inputs, items };
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

  #addressesOf(items: readonly Item[] = []): string[] {
    return items.map((item) => this.#kind.addressOf(item, this.#inputs));
  }
}

/** What an operation begins with. */
export interface Beginning<Item, State> {
  /** `undefined`: nothing that is there is known to be what the inputs ask for. */
  readonly state: State | undefined;
  /** All that is in the place, the newest first. */
  readonly items: readonly Item[];
  /** A publication of an earlier run turned out to be complete. */
  readonly isResumed: boolean;
}

/**
 * Finds what an earlier run published that was cut off: what is complete is neither downloaded nor published again, and the
 * rest is removed as earlier items are.
 *
 * @throws the signal's reason
 */
export async function recover<
  Inputs extends PublishedInputs,
  Item extends PublishedItem,
  State extends PublishedState,
>(
  kind: PublicationKind<Inputs, Item, State>,
  context: WorkContext,
  inputs: Inputs,
  state: State | undefined,
  notes: PublicationNotes<Inputs, Item, State>,
): Promise<Beginning<Item, State>> {
  const stored = state ? kind.itemsOf(state) : [];
  const note = notes.find();
  const items = [...stored, ...(note?.items ?? [])];
  const nowMs = context.clock.now();
  const isEnough = (candidate: State): boolean =>
    planPublication(kind, inputs, candidate, nowMs).action !== "publish";
  if (state && isEnough(state)) return { state, items, isResumed: false };

  // the state's own item first: it may be complete by now
  const whole = state?.bookkeeping.drifted === "partial" ? withoutDrift(state) : undefined;
  const noted =
    note && kind.stateOf(note.inputs, [...note.items, ...stored] as readonly Item[]);
  for (const candidate of [whole, noted]) {
    const [newest] = candidate ? kind.itemsOf(candidate) : [];
    if (!candidate || !newest || !isEnough(candidate)) continue;
    if ((await seen(kind, context, inputs, newest)) !== "same") continue;
    const text = `${kind.addressOf(newest, inputs)} of a run that was cut off is complete: it is not published again`;
    context.reporter.info(decisionLine({ because: "RESUMED", text }));
    context.tracer.note({ "docs_hosting.decision": "RESUMED" });
    return { state: candidate, items: kind.itemsOf(candidate), isResumed: true };
  }
  return { state, items, isResumed: false };
}

/** A look that cannot be taken says nothing: publishing tells why. */
export async function seen<
  Inputs extends PublishedInputs,
  Item extends PublishedItem,
  State extends PublishedState,
>(
  kind: PublicationKind<Inputs, Item, State>,
  context: WorkContext,
  inputs: Inputs,
  item: Item,
): Promise<"same" | "changed" | "gone" | "unknown"> {
  try {
    return await kind.look(context, inputs, item);
  } catch {
    return "unknown";
  }
}

function withoutDrift<State extends PublishedState>({ outputs, bookkeeping }: State): State {
  const { drifted: _, ...rest } = bookkeeping;
  return { outputs, bookkeeping: rest } as unknown as State;
}
