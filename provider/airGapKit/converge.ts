import { diskFailure } from "../disk/diskFailure";
import { removeKits } from "../kit/lookAtKit";
import type { Context } from "../resource/context";
import { decisionLine } from "../resource/decision";
import { withinLimit } from "../resource/withinLimit";
import { describeSource, sourceAttributes } from "../source/bundleSource";
import type { WorkContext } from "../source/workFolders";
import { explained } from "../words/explainedError";
import type { CheckedInputs } from "./inputs";
import { makeKit } from "./makeKit";
import { planKit } from "./plan";
import { stateOf, type AirGapKitState, type MadeKit } from "./state";

/**
 * Brings a kit to what its inputs ask for, from whatever state it is in. Creating is the same from none.
 *
 * @param limitMs time limit in milliseconds
 * @throws DocsHostingError: the state stays as it was, and so does the kit that is there
 */
export function converge(
  given: Context,
  inputs: CheckedInputs,
  state: AirGapKitState | undefined,
  limitMs: number,
): Promise<AirGapKitState> {
  return withinLimit(given, limitMs, (context) => carryOut(context, inputs, state));
}

async function carryOut(
  context: WorkContext,
  inputs: CheckedInputs,
  state: AirGapKitState | undefined,
): Promise<AirGapKitState> {
  const plan = planKit(inputs, state);
  const { tracer } = context;
  tracer.note({ ...sourceAttributes(inputs.source), "docs_hosting.decision": plan.because });
  const before = state?.bookkeeping.kits ?? [];
  if (plan.action === "record") return stateOf(inputs, before);
  // a diff has told the decision about a resource that was there before
  if (!state) context.reporter.info(decisionLine(plan));
  try {
    if (plan.action === "prune") return stateOf(inputs, await pruned(context, inputs, before));
    const place = { "docs_hosting.destination": inputs.folder };
    const made = await tracer.span("docs_hosting.air_gap_kit", place, () => makeKit(context, inputs, before));
    const others = before.filter(({ kit }) => kit.name !== made.kit.name);
    return stateOf(inputs, await pruned(context, inputs, [made, ...others]));
  } catch (error) {
    const kept = state ? `${state.outputs.path} stays as it is` : "No kit was written";
    const told = diskFailure(error, inputs.folder, context.signal);
    throw explained(told, `a kit of ${describeSource(inputs.source)}`, kept);
  }
}

/** Removes kits beyond those that are kept. One that cannot be removed is no reason to fail: it is tried again at the next update. */
async function pruned(
  context: Context,
  { keep, folder }: CheckedInputs,
  kits: readonly MadeKit[],
): Promise<readonly MadeKit[]> {
  const [kept, surplus] = [kits.slice(0, keep + 1), kits.slice(keep + 1)];
  try {
    await removeKits(folder, surplus.map(kitOf), kept.map(kitOf));
    return kept;
  } catch (error) {
    context.signal.throwIfAborted();
    const told = diskFailure(error, folder, context.signal);
    const { message } = explained(told, folder, "The next `pulumi up` tries again");
    context.reporter.warn(`an earlier kit could not be removed: ${message}`);
    return kits;
  }
}

export const kitOf = ({ kit }: MadeKit): MadeKit["kit"] => kit;
