import { decisionLine } from "../../resource/decision";
import { UnfinishedError } from "../../resource/lifeCycle";
import { inTurn } from "../../resource/withinLimit";
import { sourceAttributes } from "../source/bundleSource";
import { inspect } from "../source/inspect";
import { obtain } from "../source/obtain";
import { BundleRefusedError } from "../../runtime/messages/errors";
import { explained } from "../../runtime/messages/explainedError";
import type { PublicationContext } from "./context";
import { planPublication } from "./plan";
import { runRecords } from "./runRecords";
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
  return asOwner(work, limitMs, convergeAsOwner);
}

/** What of the newest item the operation has published: nothing, a part that may be visible, or everything. */
type Progress = "gone" | "partial" | "same";

async function convergeAsOwner<T extends Published>(work: PublicationWork<T>): Promise<T["state"]> {
  const { kind, context, inputs, stored } = work;
  const { tracer, owner } = context;
  const { item: name, items: names, span } = kind.terms;
  const destination = kind.destinationName(inputs);
  const records = runRecords(work);
  /** All items at the destination, newest first. */
  let items: readonly T["item"][] = [];
  let link: LinkOutputs | undefined;
  let published: Progress = "gone";
  /** The step after the publication that is in progress or failed; empty before the first one. */
  let missing = "";
  /** Whether the items have marks of the owner. */
  let isMarked = owner.hasMarks;

  const addressOf = (item: T["item"]): string => kind.addressOf(item, inputs);
  const state = (): T["state"] => {
    const made = kind.stateOf(inputs, items, link);
    return isMarked ? withOwner(made, owner) : made;
  };

  try {
    tracer.note(sourceAttributes(inputs.source));
    await takeOver(work, records);
    const recovered = await recover(work, records);
    const { action, code, text } = planPublication(kind, inputs, recovered.state, context.clock.now());
    items = recovered.items;
    if (recovered.isResumed) {
      published = "same";
    } else {
      tracer.note({ "docs_hosting.decision": code });
      // for an existing resource, the diff has reported the decision already
      if (!stored) context.reporter.info(decisionLine({ code, text }));
    }
    // a new runner has none of them
    if (code === "MISSING") items = items.filter((item) => !kind.isMissing(inputs, item));
    // items of a state without marks, unless nothing is written now, and those whose mark is gone
    if (items.length > 0 && (isMarked ? action === "mark" : action !== "record")) {
      await kind.mark(context, inputs, items);
      isMarked = true;
    }
    if (action === "publish") await tracer.span(span, { "docs_hosting.destination": destination }, publish);
    else link = recovered.state && linkOf(kind, recovered.state);
    if (action === "publish" || action === "sign") {
      missing = "its link";
      const [newest] = items;
      link = newest && (await kind.link?.(context, inputs, newest));
    }
    await prune();
    records.handOver();
    return state();
  } catch (error) {
    throw await failure(error);
  }

  /** Publishes nothing before the whole bundle is inspected. The next run resumes the download. */
  async function publish(): Promise<void> {
    const earlier = items;
    const noteNewest = (item: T["item"], progress: Progress): void => {
      items = [item, ...earlier.filter((each) => addressOf(each) !== addressOf(item))];
      records.save({ inputs, items }, owner);
      published = progress;
    };
    const publishInspected = kind.prepare(context, inputs, earlier);
    const obtained = await obtain(context, inputs);
    const { bundle } = obtained;
    const inTheirTurn = async (): Promise<T["item"]> => {
      const inspection = await inspect(context, inputs, bundle);
      return publishInspected({ bundle, inspection }, (placed) => noteNewest(placed, "partial"));
    };
    try {
      const waiting = "waiting for other publications to end";
      noteNewest(await inTurn(context.publications, inTheirTurn, context, waiting), "same");
      obtained.remove();
    } catch (error) {
      // a bundle that was refused is refused every time
      if (error instanceof BundleRefusedError) obtained.remove();
      else obtained.release();
      throw error;
    }
  }

  /** Removes items beyond those that are kept. A failed removal does not fail the operation: the next update tries again. */
  async function prune(): Promise<void> {
    const [kept, surplus] = [items.slice(0, inputs.keep + 1), items.slice(inputs.keep + 1)];
    if (surplus.length === 0) return;
    missing = `the removal of earlier ${names}`;
    const failed = `an earlier ${name} could not be removed`;
    const warning = { subject: destination, failed, consequence: "The next `pulumi up` tries again" };
    const isDone = await attempted(context, warning, () => kind.remove(context, inputs, surplus, kept));
    if (isDone) items = kept;
  }

  /** Decides what the state keeps after a failed operation, and reports it in the error. */
  async function failure(error: unknown): Promise<Error> {
    const failedWith = (consequence: string): Error => explained(error, kind.subject(inputs), consequence);
    const [newest] = items;
    if (published === "partial" && newest) {
      const found = await comparison(work, newest);
      if (found === "gone" || found === "same") published = found;
    }
    if (!newest || published === "gone") {
      const [before] = stored ? kind.itemsOf(stored) : [];
      return failedWith(before ? `${addressOf(before)} stays as it is` : "Nothing was published");
    }
    records.handOver();
    const left = missing === "" ? "" : `; still missing: ${missing}`;
    const consequence =
      published === "same"
        ? `is published and in the state${left}. The next \`pulumi up\` does only the remaining steps, without another download or publication`
        : "may be published in part, and is in the state: the next `pulumi up` completes it, and `pulumi destroy` removes it";
    return new UnfinishedError(
      failedWith(`${addressOf(newest)} ${consequence}`),
      withDrift(state(), published),
    );
  }
}
