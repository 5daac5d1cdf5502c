import { isUnknown, UNKNOWN } from "../../base/runtime/messages/plainText";
import { present } from "../../base/runtime/values/fields";
import {
  type Bundle,
  type CopyComparison,
  type Inspection,
  type Owner,
  type SiteAdditions,
} from "../../publishing/index";
import type { StoredState } from "../../resource/lifeCycle";
import type { LinkTimes } from "../../service/renewalWindow";
import { type CheckedSource, jobOfSource } from "../source/bundleSource";
import type { BundleRequirements } from "../source/requirements";

/** The inputs that every publishing resource has, after check: defaults filled in, values normalised. */
export interface PublishedInputs extends BundleRequirements, SiteAdditions {
  /** The source of the bundle, as plain values. */
  readonly source: CheckedSource;
  /** Number of earlier copies or kits to keep. */
  readonly keep: number;
  /** Whether a place of another stack is taken over. Absent in states of versions without this input. */
  readonly takeOver?: boolean;
  /** Name of the environment variable with the private key. */
  readonly signingKeyEnv?: string;
}

/** Data stored beside the outputs and not shown to users. */
export interface PublishedBookkeeping {
  /** A comparison found the newest item gone or changed, or a run was interrupted while it published the item. */
  readonly drifted?: Drift | undefined;
  /** The ID in the mark at the destination, see `Owner`. Absent in states of versions without marks, until the next update. */
  readonly owner?: string | undefined;
  /**
   * Only of an import: the owner of the destination at that time, by its ID; "" for none. The first operation that writes takes the
   * destination over from that owner.
   */
  readonly adopts?: string | undefined;
}

/** The state of a resource that publishes bundles. */
interface PublishedState extends StoredState {
  readonly bookkeeping: PublishedBookkeeping;
}

/** The types of one kind of publishing resource. */
export interface Published {
  readonly inputs: PublishedInputs;
  /** A copy or kit that was published and not yet removed, as the state stores it. Plain values; no secret. */
  readonly item: EarlierItem & {
    readonly bundle: Pick<Bundle, "size"> & Pick<Inspection, "files" | "selfContained">;
  };
  readonly state: PublishedState;
}

/** Outputs of the bundle before it is published: unknown, or undefined if the bundle will not have them. */
interface KnownOfBundle {
  readonly version: string;
  readonly jobId: string | undefined;
  readonly searchPages: string | undefined;
  readonly searchVersion: string | undefined;
  readonly llmsPages: string | undefined;
  readonly llmsVersion: string | undefined;
  readonly fetchedAssets: string | undefined;
}

/** Outputs of the bundle that are known before it is published. */
export function knownOfBundle({
  source,
  offlineSearch,
  llmsTxt,
  fetchExternal,
}: PublishedInputs): KnownOfBundle {
  const search = offlineSearch === undefined ? undefined : UNKNOWN;
  const llms = llmsTxt === undefined ? undefined : UNKNOWN;
  return {
    version: isUnknown(source) ? UNKNOWN : source.version,
    jobId: isUnknown(source) ? UNKNOWN : jobOfSource(source),
    searchPages: search,
    searchVersion: search,
    llmsPages: llms,
    llmsVersion: llms,
    fetchedAssets: fetchExternal === undefined ? undefined : UNKNOWN,
  };
}

/** How the newest item differs from what was published. */
type Drift = Exclude<CopyComparison, "same"> | "partial";

/** What an item keeps of its {@link Drift} when a newer one follows. */
export interface EarlierItem {
  /** Absent for an item that was whole, and in states of versions that did not store it. */
  readonly drifted?: "partial" | "gone" | "changed" | undefined;
}

/** Items, newest first, of which the first one is no longer the newest: it keeps its drift. */
export function withFormer<Item extends EarlierItem>(
  items: readonly Item[],
  drifted: Drift | undefined,
): readonly Item[] {
  const [former, ...older] = items;
  const isWhole = drifted === undefined || drifted === "unmarked" || drifted === "taken";
  return !former || isWhole ? items : [{ ...former, drifted }, ...older];
}

/** Whether nothing of an earlier item can be used: it is gone, or only a part was published. */
export const isUnusable = ({ drifted }: EarlierItem): boolean => drifted === "gone" || drifted === "partial";

/** The earlier items that are kept to go back to. @param earlier newest first */
export const wholeAmong = <Item extends EarlierItem>(
  earlier: readonly Item[],
  keep: number,
): readonly Item[] => keptAmong(earlier, keep).kept.filter(({ drifted }) => drifted === undefined);

/**
 * Which earlier items stay beside the newest. Only whole ones count: one that is gone or was published in part takes no other's place. One
 * that has changed may still be in use: it stays as long as an older one does.
 *
 * @param earlier newest first
 * @param keep how many whole ones are kept
 */
export function keptAmong<Item extends EarlierItem>(
  earlier: readonly Item[],
  keep: number,
): { readonly kept: readonly Item[]; readonly surplus: readonly Item[] } {
  const kept: Item[] = [];
  const surplus: Item[] = [];
  let whole = 0;
  for (const item of earlier) {
    if (isUnusable(item) || whole >= keep) surplus.push(item);
    else kept.push(item);
    if (item.drifted === undefined) whole += 1;
  }
  return { kept, surplus };
}

/** The outputs for a link. Empty when there is no link. */
export interface CopyLinkOutputs extends LinkTimes {
  readonly bundleUrl?: string;
}

/** The state with another drift, or without drift. */
export function withDrift<State extends PublishedState>(state: State, found: Drift | "same"): State {
  const drifted = found === "same" ? undefined : found;
  return { ...state, bookkeeping: present({ ...state.bookkeeping, drifted }) };
}

/** The state with the ID of its owner, who has the destination. */
export function withOwner<State extends PublishedState>(state: State, { id: owner }: Owner): State {
  return { ...state, bookkeeping: present({ ...state.bookkeeping, owner, adopts: undefined }) };
}

/** The state with the owner of another state: nothing was written to the destination. */
export function withOwnerOf<State extends PublishedState>(state: State, before: State | undefined): State {
  const { owner, adopts } = before?.bookkeeping ?? {};
  return { ...state, bookkeeping: present({ ...state.bookkeeping, owner, adopts }) };
}
