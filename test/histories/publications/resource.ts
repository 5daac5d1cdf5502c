// The resources of a history, and what happens to them.
import type { BundleCopyState } from "../../../provider/copies/bundleCopy/state.ts";
import type { Copy } from "../../../provider/publishing/destinations/destination.ts";
import { MemoryNotes } from "../../simulation/memoryNotes.ts";
import type { Fault } from "./faults.ts";
import type { Place, Spot } from "./place.ts";

/** What a run does with a resource. */
export type Action =
  /** @param content the same as before, if it is absent */
  | { readonly kind: "up"; readonly content?: number; readonly keep: number; readonly takeOver?: boolean }
  /** `pulumi up --replace`: the old resource is deleted after its successor was made. */
  | { readonly kind: "replace" }
  /** The program names another spelling of the destination, or another variant of it. */
  | { readonly kind: "move"; readonly variant: number }
  | { readonly kind: "refresh" }
  | { readonly kind: "destroy" };

/** A run of one resource. */
export interface Run {
  readonly resource: number;
  readonly action: Action;
  /** The step at which it is killed. `"answer"`: when all is done, and the engine has stored nothing. */
  readonly kill?: number | "answer" | undefined;
  readonly fault?: Fault | undefined;
}

/** A resource of a stack. */
export interface Resource {
  /** Its number in the history. */
  readonly index: number;
  readonly urn: string;
  readonly spot: Spot;
  notes: MemoryNotes;
  variant: number;
  content: number;
  keep: number;
  takeOver: boolean;
  state: BundleCopyState | undefined;
  /** Replaced, and deleted after the next successful run. */
  pending: BundleCopyState[];
  /** Whether the newest copy of the state must be there. */
  isSettled: boolean;
  /** Only a refresh can tell what happened to its copy. */
  needsRefresh: boolean;
  /** A run has named the owner who took the pointer. */
  isTaken: boolean;
  /** It was published at the same time as another one at the same pointer. */
  hasRaced: boolean;
  /** A removal has named it as incomplete. */
  isIncomplete: boolean;
  hasKilledReplacement: boolean;
  /** It has had a run. */
  isUsed: boolean;
  /** Something may be left of a run that was killed or failed. */
  wasKilled: boolean;
  /** A killed run may have removed copies that the state has, and no run of the provider has followed. */
  isUntouched: boolean;
}

/** The result of a run. */
export interface Outcome {
  readonly result: "green" | "failed" | "killed";
  readonly error?: Error | undefined;
  readonly published: boolean;
  readonly lines: readonly string[];
  readonly hadFault: boolean;
}

/** A resource without a state, in one of two stacks. */
export function newResource(index: number, spot: Spot, variant: number): Resource {
  return {
    index,
    urn: `urn:pulumi:stack-${index % 2}::website::pulumi-nodejs:dynamic/docs-hosting:BundleCopy::docs-${index}`,
    spot,
    notes: new MemoryNotes(),
    variant,
    content: 0,
    keep: 1,
    takeOver: false,
    state: undefined,
    pending: [],
    isSettled: false,
    needsRefresh: false,
    isTaken: false,
    hasRaced: false,
    isIncomplete: false,
    hasKilledReplacement: false,
    isUsed: false,
    wasKilled: false,
    isUntouched: false,
  };
}

export function copiesOf({ state }: Resource): Copy[] {
  return (state?.bookkeeping.copies ?? []).map(({ copy }) => copy);
}

export function newestCopy(resource: Resource): Copy | undefined {
  return copiesOf(resource)[0];
}

/** The destination that the program of a resource names now. */
export function destinationOf(place: Place, { spot, variant }: Resource): Readonly<Record<string, unknown>> {
  return place.destination(spot, variant);
}

export function resourceAt(resources: readonly Resource[], index: number): Resource {
  const found = resources[index];
  if (!found) throw new Error("there is no such resource");
  return found;
}
