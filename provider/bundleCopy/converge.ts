import type { Destination } from "../destination/destination";
import { destinationOf } from "../destination/openPlace";
import type { Context } from "../resource/context";
import { decisionLine } from "../resource/decision";
import { withinLimit } from "../resource/withinLimit";
import { explained } from "../words/explainedError";
import type { CheckedInputs } from "./inputs";
import { withScratch, type WorkContext } from "../source/workFolders";
import { makeCopy } from "./makeCopy";
import { planCopy } from "./plan";
import { describeSource, sourceAttributes } from "../source/bundleSource";
import { recordedState, stateOf, type BundleCopyState, type FreshLink, type MadeCopy } from "./state";

/**
 * Brings a copy to what its inputs ask for, from whatever state it is in. Creating is the same from none.
 *
 * @param limitMs time limit in milliseconds
 * @throws DocsHostingError: the state stays as it was, and so does the copy that is there
 */
export function converge(
  given: Context,
  inputs: CheckedInputs,
  state: BundleCopyState | undefined,
  limitMs: number,
): Promise<BundleCopyState> {
  return withinLimit(given, limitMs, (context) => carryOut(context, inputs, state));
}

async function carryOut(
  context: WorkContext,
  inputs: CheckedInputs,
  state: BundleCopyState | undefined,
): Promise<BundleCopyState> {
  const plan = planCopy(inputs, state, context.clock.now());
  const { tracer } = context;
  tracer.note({ ...sourceAttributes(inputs.source), "docs_hosting.decision": plan.because });
  if (plan.action === "record") return recordedState(inputs, plan.state);
  // a diff has told the decision about a resource that was there before
  if (!state) context.reporter.info(decisionLine(plan));
  const destination = destinationOf(inputs.destination);
  const before = state?.bookkeeping.copies ?? [];
  try {
    if (plan.action === "copy") {
      const place = { "docs_hosting.destination": destination.id };
      const made = await tracer.span("docs_hosting.bundle_copy", place, () =>
        makeCopy(context, inputs, destination),
      );
      const others = before.filter(({ copy }) => copy.uri !== made.copy.uri);
      return await settled(context, inputs, destination, [made, ...others]);
    }
    const { state: sound } = plan;
    if (plan.action === "sign") return await settled(context, inputs, destination, sound.bookkeeping.copies);
    const left = await pruned(context, inputs, destination, before);
    return recordedState(inputs, { ...sound, bookkeeping: { ...sound.bookkeeping, copies: left } });
  } catch (error) {
    const kept = state ? `${state.outputs.uri} stays as it is` : "Nothing was published";
    throw explained(error, `${describeSource(inputs.source)} to ${destination.id}`, kept);
  }
}

/** The state with these copies, the newest first: the link is signed, and what is not to be kept any longer is gone. */
async function settled(
  context: WorkContext,
  inputs: CheckedInputs,
  destination: Destination,
  copies: readonly MadeCopy[],
): Promise<BundleCopyState> {
  const [newest, ...older] = await pruned(context, inputs, destination, copies);
  if (!newest) throw new Error("no copy is left");
  return stateOf(inputs, newest, older, await signed(context, destination, newest));
}

async function signed(
  context: WorkContext,
  destination: Destination,
  { copy }: MadeCopy,
): Promise<FreshLink | undefined> {
  const signedAtMs = context.clock.now();
  const link = await withScratch(
    context,
    (place) => destination.sign?.(copy, place) ?? Promise.resolve(undefined),
  );
  return link && { ...link, signedAtMs };
}

/** Removes copies beyond those that are kept. One that cannot be removed is no reason to fail: it is tried again at the next update. */
async function pruned(
  context: WorkContext,
  { keep }: CheckedInputs,
  destination: Destination,
  copies: readonly MadeCopy[],
): Promise<readonly MadeCopy[]> {
  const [kept, surplus] = [copies.slice(0, keep + 1), copies.slice(keep + 1)];
  if (surplus.length === 0) return copies;
  try {
    await withScratch(context, (place) => destination.remove(surplus.map(copyOf), kept.map(copyOf), place));
    return kept;
  } catch (error) {
    context.signal.throwIfAborted();
    const { message } = explained(error, destination.id, "The next `pulumi up` tries again");
    context.reporter.warn(`an earlier copy could not be removed: ${message}`);
    return copies;
  }
}

const copyOf = ({ copy }: MadeCopy): MadeCopy["copy"] => copy;
