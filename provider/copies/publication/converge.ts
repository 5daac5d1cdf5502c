import { decisionLine } from "../../resource/decision";
import { UnfinishedError } from "../../resource/lifeCycle";
import { inTurn } from "../../resource/withinLimit";
import { sourceAttributes } from "../source/bundleSource";
import { inspect } from "../source/inspect";
import { obtain } from "../source/obtain";
import { BundleRefusedError } from "../../runtime/messages/errors";
import { explained } from "../../runtime/messages/explainedError";
import type { PublicationContext } from "./context";
import { type Plan, planPublication } from "./plan";
import { RunRecords } from "./runRecords";
import { asOwner, linkOf, withDrift, withOwner } from "./publication";
import type { LinkOutputs, PublicationWork, Published } from "./publication";
import { attempted, comparison, recover, takeOver } from "./recovery";

/**
 * Brings a published item from any state to what its inputs request. A create converges from no state.
 *
 * @param limitMs time limit in milliseconds
 * @throws UnfinishedError when something was published: the error contains the new state. Otherwise a DocsHostingError: the
 *   state and everything published stay unchanged
 */
export function converge<T extends Published>(
  work: PublicationWork<T, PublicationContext>,
  limitMs: number,
): Promise<T["state"]> {
  return asOwner(work, limitMs, (own) => new Convergence(own).run());
}

/** What of the newest item the operation has published: nothing, a part that may be visible, or everything. */
type Progress = "gone" | "partial" | "same";

class Convergence<T extends Published> {
  readonly #work: PublicationWork<T>;
  readonly #records: RunRecords<T>;
  /** All items at the destination, newest first. */
  #items: readonly T["item"][] = [];
  #link: LinkOutputs | undefined;
  #published: Progress = "gone";
  /** The step after the publication that is in progress or failed; empty before the first one. */
  #missing = "";
  /** Whether the items have marks of the owner. */
  #isMarked: boolean;

  constructor(work: PublicationWork<T>) {
    this.#work = work;
    this.#isMarked = work.context.owner.hasMarks;
    this.#records = new RunRecords(work);
  }

  async run(): Promise<T["state"]> {
    try {
      await this.#carryOut();
      this.#records.handOver();
      return this.#state;
    } catch (error) {
      throw await this.#failure(error);
    }
  }

  async #carryOut(): Promise<void> {
    const { kind, context, inputs, stored } = this.#work;
    const { tracer, clock, reporter } = context;
    tracer.note(sourceAttributes(inputs.source));
    await takeOver(this.#work, this.#records);
    const { state, items, isResumed } = await recover(this.#work, this.#records);
    const plan = planPublication(kind, inputs, state, clock.now());
    this.#items = items;
    if (isResumed) {
      this.#published = "same";
    } else {
      tracer.note({ "docs_hosting.decision": plan.code });
      // for an existing resource, the diff has reported the decision already
      if (!stored) reporter.info(decisionLine(plan));
    }
    // a new runner has none of them
    if (plan.code === "MISSING") this.#items = items.filter((item) => !kind.isMissing(inputs, item));
    await this.#mark(plan.action);
    if (plan.action === "publish") await this.#publish();
    else this.#link = state && linkOf(kind, state);
    if (plan.action === "publish" || plan.action === "sign") await this.#sign();
    await this.#prune();
  }

  /** Marks the items of a state without marks, unless nothing is written now, and those whose mark is gone. */
  async #mark(action: Plan["action"]): Promise<void> {
    const { kind, context, inputs } = this.#work;
    const isDue = this.#isMarked ? action === "mark" : action !== "record";
    if (!isDue || this.#items.length === 0) return;
    await kind.mark(context, inputs, this.#items);
    this.#isMarked = true;
  }

  /** Publishes nothing before the whole bundle is inspected. The next run resumes the download. */
  async #publish(): Promise<void> {
    const { kind, context, inputs } = this.#work;
    const place = { "docs_hosting.destination": kind.destinationName(inputs) };
    await context.tracer.span(kind.terms.span, place, async () => {
      const publish = kind.prepare(context, inputs, this.#items);
      const earlier = this.#items;
      const obtained = await obtain(context, inputs);
      const { bundle } = obtained;
      const work = async (): Promise<T["item"]> => {
        const inspection = await inspect(context, inputs, bundle);
        return publish({ bundle, inspection }, (placed) => {
          this.#noteNewest(placed, earlier);
          this.#published = "partial";
        });
      };
      try {
        const item = await inTurn(
          context.publications,
          work,
          context,
          "waiting for other publications to end",
        );
        this.#noteNewest(item, earlier);
        this.#published = "same";
        obtained.remove();
      } catch (error) {
        // a bundle that was refused is refused every time
        if (error instanceof BundleRefusedError) obtained.remove();
        else obtained.release();
        throw error;
      }
    });
  }

  #noteNewest(item: T["item"], earlier: readonly T["item"][]): void {
    const address = this.#addressOf(item);
    this.#items = [item, ...earlier.filter((each) => this.#addressOf(each) !== address)];
    const { inputs, context } = this.#work;
    this.#records.save({ inputs, items: this.#items }, context.owner);
  }

  async #sign(): Promise<void> {
    const { kind, context, inputs } = this.#work;
    const [newest] = this.#items;
    this.#missing = "its link";
    this.#link = newest && (await kind.link?.(context, inputs, newest));
  }

  /** Removes items beyond those that are kept. A failed removal does not fail the operation: the next update tries again. */
  async #prune(): Promise<void> {
    const { kind, context, inputs } = this.#work;
    const { keep } = inputs;
    const [kept, surplus] = [this.#items.slice(0, keep + 1), this.#items.slice(keep + 1)];
    if (surplus.length === 0) return;
    const { item, items } = kind.terms;
    this.#missing = `the removal of earlier ${items}`;
    const warning = {
      subject: kind.destinationName(inputs),
      failed: `an earlier ${item} could not be removed`,
      consequence: "The next `pulumi up` tries again",
    };
    const isDone = await attempted(context, warning, () => kind.remove(context, inputs, surplus, kept));
    if (isDone) this.#items = kept;
  }

  /** Decides what the state keeps after a failed operation, and reports it in the error. */
  async #failure(error: unknown): Promise<Error> {
    const { kind, inputs, stored } = this.#work;
    const failedWith = (consequence: string): Error => explained(error, kind.subject(inputs), consequence);
    const [newest] = this.#items;
    if (this.#published === "partial" && newest) {
      const found = await comparison(this.#work, newest);
      if (found === "gone" || found === "same") this.#published = found;
    }
    if (!newest || this.#published === "gone") {
      const [before] = stored ? kind.itemsOf(stored) : [];
      return failedWith(before ? `${this.#addressOf(before)} stays as it is` : "Nothing was published");
    }
    this.#records.handOver();
    const missing = this.#missing === "" ? "" : `; still missing: ${this.#missing}`;
    const consequence =
      this.#published === "same"
        ? `is published and in the state${missing}. The next \`pulumi up\` does only the remaining steps, without another download or publication`
        : "may be published in part, and is in the state: the next `pulumi up` completes it, and `pulumi destroy` removes it";
    const failure = failedWith(`${this.#addressOf(newest)} ${consequence}`);
    return new UnfinishedError(failure, withDrift(this.#state, this.#published));
  }

  get #state(): T["state"] {
    const { kind, context, inputs } = this.#work;
    const state = kind.stateOf(inputs, this.#items, this.#link);
    return this.#isMarked ? withOwner(state, context.owner) : state;
  }

  #addressOf(item: T["item"]): string {
    return this.#work.kind.addressOf(item, this.#work.inputs);
  }
}
