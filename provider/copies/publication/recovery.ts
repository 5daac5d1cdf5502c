import { decisionLine } from "../../resource/decision";
import type { LimitedContext } from "../../resource/withinLimit";
import { explained } from "../../runtime/messages/explainedError";
import type { CopyComparison } from "../destinations/destination";
import { isOwnerId, type Owner } from "../ownership/owner";
import type { RunRecords } from "./runRecords";
import { planPublication } from "./plan";
import { withDrift, type Published, type PublicationWork } from "./publication";

/**
 * Finds the items that an interrupted run published. A complete item is neither downloaded nor published again; incomplete
 * items are removed like earlier items.
 *
 * @returns the items that the operation starts with: all at the destination, newest first; the state with them, if any is known to
 *   match the inputs; and whether the publication of an earlier run is complete
 * @throws the signal's reason
 */
export async function recover<T extends Published>(work: PublicationWork<T>, records: RunRecords<T>) {
  const { kind, context, inputs, stored: state } = work;
  const stored = state ? kind.itemsOf(state) : [];
  const record = records.findBesideState();
  const items = [...stored, ...(record?.items ?? [])];
  const nowMs = context.clock.now();
  const isEnough = (candidate: T["state"]): boolean =>
    planPublication(kind, inputs, candidate, nowMs).action !== "publish";
  if (state && isEnough(state)) {
    const [newest] = stored;
    const [noted] = records.find()?.items ?? [];
    const isOther = newest && noted && kind.addressOf(noted, inputs) !== kind.addressOf(newest, inputs);
    // a killed run may have removed it as an earlier item, or only the mark of one that others have, too
    const there = isOther ? await comparison(work, newest) : undefined;
    const isAsBefore = there === undefined || there === "same";
    return { state: isAsBefore ? state : withDrift(state, there), items, isResumed: false };
  }

  // the state's own item first: it may be complete now
  const whole = state?.bookkeeping.drifted === "partial" ? withDrift(state, "same") : undefined;
  const recorded = record && kind.stateOf(record.inputs, [...record.items, ...stored]);
  for (const candidate of [whole, recorded]) {
    const [newest] = candidate ? kind.itemsOf(candidate) : [];
    if (!candidate || !newest || !isEnough(candidate)) continue;
    if ((await comparison(work, newest)) !== "same") continue;
    const text = `${kind.addressOf(newest, inputs)} of an interrupted run is complete: it is not published again`;
    context.reporter.info(decisionLine({ code: "RESUMED", text }));
    context.tracer.note({ "docs_hosting.decision": "RESUMED" });
    return { state: candidate, items: kind.itemsOf(candidate), isResumed: true };
  }
  return { state, items, isResumed: false };
}

/** Compares an item with what was published. `undefined` when the comparison fails: the publication then reports the error. */
export function comparison<T extends Published>(
  { kind, context, inputs }: PublicationWork<T>,
  item: T["item"],
): Promise<CopyComparison | undefined> {
  return kind.compare(context, inputs, item).catch(() => undefined);
}

/**
 * Makes this resource the owner of what a killed run published under its URN as another owner: it writes its own marks, then takes
 * that owner's away. The killed run may have been that of a resource which this one replaces: its items stay when it is deleted.
 * A failure is a warning: items with marks of both owners stay.
 *
 * @throws the signal's reason
 */
export async function takeOver<T extends Published>(
  work: PublicationWork<T>,
  records: RunRecords<T>,
): Promise<void> {
  const { kind, context, inputs } = work;
  const record = records.find();
  const others = othersThan(context.owner, [record?.owner, ...(record?.formerOwners ?? [])]);
  if (!record || others.length === 0) return;
  // a run that is killed from here on leaves marks of both
  records.save(record, context.owner, others);
  const warning = {
    subject: kind.destinationName(inputs),
    failed: "the marks of an interrupted run could not be taken over",
    consequence: `The ${kind.terms.items} of that run may stay when this resource is destroyed`,
  };
  const isDone = await attempted(context, warning, async () => {
    await kind.mark(context, inputs, record.items);
    await releaseAs(others, work, record.items);
  });
  if (isDone) records.save(record, context.owner, []);
}

/** Takes the marks of owners away whose runs were killed, and the items that nobody else has. @param owners unchecked IDs */
export async function releaseAs<T extends Published>(
  owners: readonly unknown[],
  work: PublicationWork<T>,
  items: readonly T["item"][],
): Promise<void> {
  const { kind, context, inputs } = work;
  const { owner, reporter } = context;
  // that the items also belong to this resource is no news
  const quiet = { ...reporter, info: (line: string): void => reporter.debug(line) };
  for (const id of othersThan(owner, owners)) {
    const former = { id, urn: owner.urn, hasMarks: true };
    await kind.remove({ ...context, reporter: quiet, owner: former }, inputs, items, []);
  }
}

/** Other owners than this one, each once. @param ids unchecked */
function othersThan(owner: Owner, ids: readonly unknown[]): string[] {
  return [...new Set(ids.filter(isOwnerId))].filter((id) => id !== owner.id);
}

/**
 * Does what an operation can go on without: a failure is a warning.
 *
 * @returns whether it is done
 * @throws the signal's reason
 */
export async function attempted(
  { signal, reporter }: Pick<LimitedContext, "signal" | "reporter">,
  { subject, failed, consequence }: Readonly<Record<"subject" | "failed" | "consequence", string>>,
  run: () => Promise<void>,
): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    signal.throwIfAborted();
    reporter.warn(`${failed}: ${explained(error, subject, consequence).message}`);
    return false;
  }
}
