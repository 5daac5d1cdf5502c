import { inTurn } from "../../base/runtime/concurrency/inTurn";
import { BundleRefusedError } from "../../base/runtime/messages/errors";
import { explained } from "../../base/runtime/messages/explainedError";
import type { Kept } from "../../publishing/index";
import { decisionLine } from "../../resource/decision";
import { UnfinishedError } from "../../resource/lifeCycle";
import { sourceAttributes } from "../source/bundleSource";
import { inspect } from "../source/inspect";
import { obtain } from "../source/obtain";
import type { PublicationContext } from "./context";
import { planPublication, type PublicationPlan, subjectOf } from "./plan";
import type { CopyLinkOutputs, Published } from "./publication";
import { keptAmong, withDrift, withFormer, withOwner, withOwnerOf } from "./publication";
import type { PublicationWork } from "./publicationWork";
import { asOwner, linkOf } from "./publicationWork";
import { attempted, comparison, recover, type Recovered } from "./recovery";
import { type RunRecords, runRecords } from "./runRecords";

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
  const records = runRecords(work);
  // a create is always a new owner: with the same URN, it may replace a resource that still exists
  const recordedOwner = work.stored && records.findOwner();
  return asOwner(work, recordedOwner, limitMs, (owned) => convergeAsOwner(owned, records));
}

/** What an operation has reached: the state that it leaves says it, also if it fails. */
interface ReachedSteps<T extends Published> {
  /** All items at the destination, newest first. */
  items: readonly T["item"][];
  /** What of the newest item the operation has published: nothing, a part that may be visible, or everything. */
  published: "gone" | "partial" | "same";
  /** The step after the publication that is in progress or failed; empty before the first one. */
  missing: string;
  /** Whether the owner of this operation has the destination. */
  isMarked: boolean;
  link?: CopyLinkOutputs | undefined;
}

async function convergeAsOwner<T extends Published>(
  work: PublicationWork<T>,
  records: RunRecords<T>,
): Promise<T["state"]> {
  const { kind, context, inputs, destination } = work;
  const { tracer, owner, adopts } = context;
  const isMarked = owner.hasMarks && adopts === undefined;
  const progress: ReachedSteps<T> = { items: [], published: "gone", missing: "", isMarked };
  try {
    tracer.note(sourceAttributes(inputs.source));
    const recovered = await recover(work, records);
    const plan = planPublication(kind, inputs, recovered.state, context.clock.now());
    begin(work, progress, recovered, plan);
    await claim(work, records, progress, plan, recovered.isResumed);
    // not before: a state must not have an owner that does not have the destination
    if (recovered.isResumed) progress.published = "same";
    if (plan.action === "publish") {
      const attributes = { "docs_hosting.destination": destination.name };
      await tracer.span(kind.terms.span, attributes, () => publish(work, records, progress));
    } else progress.link = recovered.state && linkOf(kind, recovered.state);
    if (plan.action === "publish" || plan.action === "sign") await sign(work, progress);
    await prune(work, progress);
    records.handOver();
    return stateAfter(work, progress);
  } catch (error) {
    throw await failure(work, records, progress, error);
  }
}

/** Notes what is there, and reports the decision. */
function begin<T extends Published>(
  { context, destination, stored }: PublicationWork<T>,
  progress: ReachedSteps<T>,
  { items: known, state, isResumed }: Recovered<T>,
  { action, code, text }: PublicationPlan,
): void {
  const items = action === "publish" ? withFormer(known, state?.bookkeeping.drifted) : known;
  // a new runner has none of those that are missing
  progress.items =
    code === "MISSING"
      ? items.filter((item) => !destination.isMissing(item))
      : items.map((item) => (destination.isMissing(item) ? { ...item, drifted: "gone" } : item));
  if (isResumed) return;
  context.tracer.note({ "docs_hosting.decision": code });
  // for an existing resource, the diff has reported the decision already
  if (!stored) context.reporter.info(decisionLine({ code, text }));
}

/**
 * Refuses a destination of another resource, before anything is fetched or written. Writes the mark of items that are there and do not
 * have it yet; a publication writes that of its own.
 */
async function claim<T extends Published>(
  { context, inputs, destination, stored }: PublicationWork<T>,
  records: RunRecords<T>,
  progress: ReachedSteps<T>,
  { action }: PublicationPlan,
  isResumed: boolean,
): Promise<void> {
  const { items, isMarked } = progress;
  const writesMark =
    action === "mark" || action === "prune" || isResumed || (action !== "record" && !isMarked);
  if (writesMark && items.length > 0) {
    // a killed run may be the last that knows the ID
    if (stored && !context.owner.hasMarks) records.save({ inputs, items, isWhole: true }, context.owner);
    await destination.claim(context, items);
    progress.isMarked = true;
  } else if (action === "publish") await destination.check(context, items);
}

/** Publishes nothing before the whole bundle is inspected. The next run resumes the download. */
async function publish<T extends Published>(
  { context, inputs, destination }: PublicationWork<T>,
  records: RunRecords<T>,
  progress: ReachedSteps<T>,
): Promise<void> {
  const earlier = progress.items;
  const { addressOf } = destination;
  const noteNewest = (item: T["item"], published: ReachedSteps<T>["published"]): void => {
    progress.items = [item, ...earlier.filter((each) => addressOf(each) !== addressOf(item))];
    progress.isMarked = true;
    records.save({ inputs, items: progress.items, isWhole: published === "same" }, context.owner);
    progress.published = published;
  };
  const publishInspected = destination.prepare(context, earlier);
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

async function sign<T extends Published>(
  { kind, context, inputs }: PublicationWork<T>,
  progress: ReachedSteps<T>,
): Promise<void> {
  progress.missing = "its link";
  const [newest] = progress.items;
  progress.link = newest && (await kind.links?.sign(context, inputs, newest));
}

/** Removes items beyond those that are kept. A failed removal does not fail the operation: the next update tries again. */
async function prune<T extends Published>(
  { kind, context, inputs, destination }: PublicationWork<T>,
  progress: ReachedSteps<T>,
): Promise<void> {
  const { item: name, items: names } = kind.terms;
  const [newest, ...earlier] = progress.items;
  const { kept: older, surplus } = keptAmong(earlier, inputs.keep);
  if (!newest || surplus.length === 0) return;
  const kept: Kept<T["item"]> = [newest, ...older];
  progress.missing = `the removal of earlier ${names}`;
  const failed = `an earlier ${name} could not be removed`;
  const warning = { subject: destination.name, failed, consequence: "The next `pulumi up` tries again" };
  const isDone = await attempted(context, warning, () => destination.prune(context, surplus, kept));
  if (isDone) progress.items = kept;
}

/** The state that an operation leaves. */
function stateAfter<T extends Published>(
  { kind, context, inputs, stored }: PublicationWork<T>,
  { items, link, isMarked }: ReachedSteps<T>,
): T["state"] {
  const made = kind.state.stateOf(inputs, items, link);
  return isMarked ? withOwner(made, context.owner) : withOwnerOf(made, stored);
}

/** Decides what the state keeps after a failed operation, and reports it in the error. */
async function failure<T extends Published>(
  work: PublicationWork<T>,
  records: RunRecords<T>,
  progress: ReachedSteps<T>,
  error: unknown,
): Promise<Error> {
  const { kind, destination, stored } = work;
  const failedWith = (consequence: string): Error => explained(error, subjectOf(work), consequence);
  const [newest] = progress.items;
  if (progress.published === "partial" && newest) {
    const found = await comparison(work, newest);
    if (found === "gone" || found === "same") progress.published = found;
  }
  const { published, missing } = progress;
  if (!newest || published === "gone") {
    const [before] = stored ? kind.state.itemsOf(stored) : [];
    return failedWith(before ? `${destination.addressOf(before)} stays as it is` : "Nothing was published");
  }
  records.handOver();
  const left = missing === "" ? "" : `; still missing: ${missing}`;
  const consequence =
    published === "same"
      ? `is published and in the state${left}. The next \`pulumi up\` does only the remaining steps, without another download or publication`
      : "may be published in part, and is in the state: the next `pulumi up` completes it, and `pulumi destroy` removes it";
  const state = withDrift(stateAfter(work, progress), published);
  return new UnfinishedError(failedWith(`${destination.addressOf(newest)} ${consequence}`), state);
}
