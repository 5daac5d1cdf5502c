import { explained } from "../../base/runtime/messages/explainedError";
import { present } from "../../base/runtime/values/fields";
import type { CopyComparison } from "../../publishing/index";
import { decisionLine } from "../../resource/decision";
import type { LimitedContext } from "../../resource/withinLimit";
import { planPublication } from "./plan";
import { type EarlierItem, type Published, withDrift, withFormer } from "./publication";
import type { PublicationWork } from "./publicationWork";
import type { RunRecords } from "./runRecords";

/** What an operation starts with. */
export interface Recovered<T extends Published> {
  /** All items at the destination, newest first. */
  readonly items: readonly T["item"][];
  /** The state with them, if any is known to match the inputs. */
  readonly state: T["state"] | undefined;
  /** Whether the publication of an earlier run is complete. */
  readonly isResumed: boolean;
}

/**
 * Finds the items that an interrupted run published. A complete item is neither downloaded nor published again; incomplete
 * items are removed like earlier items.
 *
 * @throws the signal's reason
 */
export async function recover<T extends Published>(
  work: PublicationWork<T>,
  records: RunRecords<T>,
): Promise<Recovered<T>> {
  const { kind, context, inputs, destination, stored: state } = work;
  const { itemsOf, stateOf } = kind.state;
  const { addressOf } = destination;
  const stored = state ? itemsOf(state) : [];
  const record = records.findBesideState();
  const items = [...stored, ...(record?.items ?? [])];
  const nowMs = context.clock.now();
  const isEnough = (candidate: T["state"]): boolean =>
    planPublication(kind, inputs, candidate, nowMs).action !== "publish";
  if (state && isEnough(state)) {
    const [newest] = stored;
    const [noted] = records.find()?.items ?? [];
    const isOther = newest && noted && addressOf(noted) !== addressOf(newest);
    // a killed run may have removed it as an earlier item
    const there = isOther ? await comparison(work, newest) : undefined;
    const isAsBefore = there === undefined || there === "same";
    return { state: isAsBefore ? state : withDrift(state, there), items, isResumed: false };
  }

  // the state's own item first: it may be complete now
  const whole = state?.bookkeeping.drifted === "partial" ? withDrift(state, "same") : undefined;
  const former = withFormer(stored, state?.bookkeeping.drifted);
  const recorded = record && stateOf(record.inputs, [...asNewest(record.items), ...former]);
  for (const candidate of [whole, recorded]) {
    const [newest] = candidate ? itemsOf(candidate) : [];
    if (!candidate || !newest || !isEnough(candidate)) continue;
    const found = await comparison(work, newest);
    if (found !== "same" && found !== "unmarked") continue;
    const text = `${addressOf(newest)} of an interrupted run is complete: it is not published again`;
    context.reporter.info(decisionLine({ code: "RESUMED", text }));
    context.tracer.note({ "docs_hosting.decision": "RESUMED" });
    return { state: candidate, items: itemsOf(candidate), isResumed: true };
  }
  return { state, items, isResumed: false };
}

/** The items of a record whose first one is the newest of a state: if it is not whole, the state says so. */
function asNewest<Item extends EarlierItem>([first, ...older]: readonly Item[]): readonly Item[] {
  return first === undefined ? older : [present<Item>({ ...first, drifted: undefined }), ...older];
}

/** Compares an item with what was published. `undefined` when the comparison fails: the publication then reports the error. */
export function comparison<T extends Published>(
  { context, destination }: PublicationWork<T>,
  item: T["item"],
): Promise<CopyComparison | undefined> {
  return destination.compare(context, item).catch(() => undefined);
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
