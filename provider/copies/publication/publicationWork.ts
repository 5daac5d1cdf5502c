import { type Claimant, isOwnerId, newOwner } from "../../publishing/index";
import { outputsAmong, rowsThat } from "../../resource/outputTable";
import { withinLimit } from "../../resource/withinLimit";
import type { PublicationContext } from "./context";
import type { CopyLinkOutputs, Published } from "./publication";
import type { OwnedContext, PublicationDestination, PublicationKind } from "./publicationKind";

/** An operation on the items of one resource. */
export interface PublicationWork<T extends Published, Given = OwnedContext> {
  readonly kind: PublicationKind<T>;
  readonly context: Given;
  readonly inputs: T["inputs"];
  /** Of these inputs. */
  readonly destination: PublicationDestination<T["item"]>;
  /** The state that the engine passed. */
  readonly stored: T["state"] | undefined;
}

/** @param stored the state that the engine passed */
export function publicationWork<T extends Published>(
  kind: PublicationKind<T>,
  context: PublicationContext,
  inputs: T["inputs"],
  stored: T["state"] | undefined,
): PublicationWork<T, PublicationContext> {
  return { kind, context, inputs, destination: kind.destinationOf(inputs), stored };
}

/** The link in a state, as its outputs. */
export function linkOf<T extends Published>(
  kind: PublicationKind<T>,
  { outputs }: T["state"],
): CopyLinkOutputs {
  return outputsAmong(rowsThat("isRenewed", kind.outputs), outputs);
}

/**
 * Runs an operation on the items of a resource with a time limit, as their owner. The ID of a new owner is random: nobody else has it.
 *
 * @param recordedOwner of a run that was killed before the state had its owner
 * @param limitMs in milliseconds
 */
export function asOwner<T extends Published, Result>(
  work: PublicationWork<T, PublicationContext>,
  recordedOwner: string | undefined,
  limitMs: number,
  run: (work: PublicationWork<T>) => Promise<Result>,
): Promise<Result> {
  const { context, inputs, stored } = work;
  const { urn, declaredPlaces } = context;
  const { owner: storedOwner, adopts } = stored?.bookkeeping ?? {};
  const isKnown = isOwnerId(storedOwner) || isOwnerId(recordedOwner);
  const id = [storedOwner, recordedOwner].find(isOwnerId);
  const claimant: Claimant = {
    owner: { ...newOwner(urn), ...(id !== undefined && { id }), hasMarks: stored === undefined || isKnown },
    isCreate: stored === undefined,
    takeOver: inputs.takeOver === true,
    adopts,
    isDeclared: (other) => declaredPlaces.isDeclared(other, urn),
  };
  return withinLimit(context, limitMs, (limited) => run({ ...work, context: { ...limited, ...claimant } }));
}
