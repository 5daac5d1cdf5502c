import { decisionLine } from "../resource/decision";
import type { Context } from "../resource/context";
import { UnfinishedError } from "../resource/unfinishedError";
import { withinLimit } from "../resource/withinLimit";
import { sourceAttributes } from "../source/bundleSource";
import { inspect } from "../source/inspect";
import { obtain } from "../source/obtain";
import type { WorkContext } from "../source/workFolders";
import { BundleRefusedError } from "../words/errors";
import { explained } from "../words/explainedError";
import { planPublication } from "./plan";
import { PublicationNotes } from "./notes";
import { withDrift, type LinkOutputs, type PublicationKind, type Published } from "./publication";
import { recover, seen } from "./recovery";

/**
 * Brings a published item to what its inputs ask for, from whatever state it is in. Creating is the same from none.
 *
 * @param limitMs time limit in milliseconds
 * @throws UnfinishedError when something was published: the state has it. Else a DocsHostingError: the state stays as it was, and
 *   so does what is published
 */
export function converge<T extends Published>(
  kind: PublicationKind<T>,
  given: Context,
  inputs: T["inputs"],
  state: T["state"] | undefined,
  limitMs: number,
): Promise<T["state"]> {
  return withinLimit(given, limitMs, (context) => new Convergence(kind, context, inputs, state).run());
}

/** How much of the newest item an operation has published: nothing new, a part that may be visible, or all. */
type Progress = "nothing" | "part" | "all";

class Convergence<T extends Published> {
  readonly #kind: PublicationKind<T>;
  readonly #context: WorkContext;
  readonly #inputs: T["inputs"];
  /** The state that the engine has. */
  readonly #stored: T["state"] | undefined;
  readonly #notes: PublicationNotes<T>;
  /** All that is in the place, the newest first. */
  #items: readonly T["item"][] = [];
  #link: LinkOutputs | undefined;
  #published: Progress = "nothing";
  /** What is still to be done after the publication. */
  #missing = "";

  constructor(
    kind: PublicationKind<T>,
    context: WorkContext,
    inputs: T["inputs"],
    stored: T["state"] | undefined,
  ) {
    this.#kind = kind;
    this.#context = context;
    this.#inputs = inputs;
    this.#stored = stored;
    this.#notes = new PublicationNotes(kind, context, inputs, stored);
  }

  async run(): Promise<T["state"]> {
    try {
      await this.#carryOut();
      this.#notes.handOver();
      return this.#kind.stateOf(this.#inputs, this.#items, this.#link);
    } catch (error) {
      throw await this.#failure(error);
    }
  }

  async #carryOut(): Promise<void> {
    const { tracer, clock, reporter } = this.#context;
    tracer.note(sourceAttributes(this.#inputs.source));
    const { state, items, isResumed } = await recover(
      this.#kind,
      this.#context,
      this.#inputs,
      this.#stored,
      this.#notes,
    );
    const plan = planPublication(this.#kind, this.#inputs, state, clock.now());
    this.#items = items;
    if (isResumed) {
      this.#published = "all";
    } else {
      tracer.note({ "docs_hosting.decision": plan.because });
      // a diff has told the decision about a resource that was there before
      if (!this.#stored) reporter.info(decisionLine(plan));
    }
    if (plan.action === "publish") {
      await this.#publish();
    } else {
      this.#link = state && this.#kind.linkOf(state);
    }
    if (plan.action === "publish" || plan.action === "sign") await this.#sign();
    await this.#prune();
  }

  /** Nobody sees anything of the bundle before all of it was looked through; the next run goes on from what was fetched. */
  async #publish(): Promise<void> {
    const place = { "docs_hosting.destination": this.#kind.placeName(this.#inputs) };
    await this.#context.tracer.span(this.#kind.words.span, place, async () => {
      const publish = this.#kind.prepare(this.#context, this.#inputs, this.#items);
      const earlier = this.#items;
      const obtained = await obtain(this.#context, this.#inputs);
      try {
        const { bundle } = obtained;
        const inspection = await inspect(this.#context, this.#inputs, bundle);
        const item = await publish({ bundle, inspection }, (placed) => {
          this.#noteNewest(placed, earlier);
          this.#published = "part";
        });
        this.#noteNewest(item, earlier);
        this.#published = "all";
        obtained.remove();
      } catch (error) {
        // what is refused once is refused again
        if (error instanceof BundleRefusedError) obtained.remove();
        else obtained.release();
        throw error;
      }
    });
  }

  #noteNewest(item: T["item"], earlier: readonly T["item"][]): void {
    const address = this.#addressOf(item);
    this.#items = [item, ...earlier.filter((each) => this.#addressOf(each) !== address)];
    this.#notes.save(this.#items);
  }

  async #sign(): Promise<void> {
    const [newest] = this.#items;
    if (!newest) return;
    this.#missing = "its link";
    this.#link = await this.#kind.link?.(this.#context, this.#inputs, newest);
    this.#missing = "";
  }

  /** Removes items beyond those that are kept. One that cannot be removed is no reason to fail: the next update tries again. */
  async #prune(): Promise<void> {
    const { keep } = this.#inputs;
    const [kept, surplus] = [this.#items.slice(0, keep + 1), this.#items.slice(keep + 1)];
    if (surplus.length === 0) return;
    const { item, items } = this.#kind.words;
    this.#missing = `the removal of earlier ${items}`;
    try {
      await this.#kind.remove(this.#context, this.#inputs, surplus, kept);
      this.#items = kept;
    } catch (error) {
      this.#context.signal.throwIfAborted();
      const place = this.#kind.placeName(this.#inputs);
      const { message } = explained(error, place, "The next `pulumi up` tries again");
      this.#context.reporter.warn(`an earlier ${item} could not be removed: ${message}`);
    }
    this.#missing = "";
  }

  /** Decides what is remembered of a failed operation, and says so. */
  async #failure(error: unknown): Promise<Error> {
    const told = (consequence: string): Error =>
      explained(error, this.#kind.subject(this.#inputs), consequence);
    const [newest] = this.#items;
    if (this.#published === "part" && newest) {
      const found = await seen(this.#kind, this.#context, this.#inputs, newest);
      if (found === "gone") this.#published = "nothing";
      if (found === "same") this.#published = "all";
    }
    if (!newest || this.#published === "nothing") {
      return told(this.#stored ? `${this.#storedAddress()} stays as it is` : "Nothing was published");
    }
    this.#notes.handOver();
    const address = this.#addressOf(newest);
    const state = this.#kind.stateOf(this.#inputs, this.#items, this.#link);
    if (this.#published === "all") {
      const missing = this.#missing === "" ? "" : `; what is missing is ${this.#missing}`;
      const next = "The next `pulumi up` does only the rest: nothing is downloaded or published again";
      return new UnfinishedError(told(`${address} is published and in the state${missing}. ${next}`), state);
    }
    const next = "the next `pulumi up` completes it, and `pulumi destroy` removes it";
    const failure = told(`${address} may be there in part, and is in the state: ${next}`);
    return new UnfinishedError(failure, withDrift(state, "partial"));
  }

  #storedAddress(): string {
    const [newest] = this.#stored ? this.#kind.itemsOf(this.#stored) : [];
    return newest ? this.#addressOf(newest) : this.#kind.placeName(this.#inputs);
  }

  #addressOf(item: T["item"]): string {
    return this.#kind.addressOf(item, this.#inputs);
  }
}
