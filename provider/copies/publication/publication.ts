import type { Inspection } from "../../site/archive/site";
import type { Bundle } from "../../site/inspection/bundle";
import type { InputTable, CheckFailure } from "../../resource/inputTable";
import { outputsAmong, present, rowsThat, type OutputRows } from "../../resource/outputTable";
import { isUnknown, UNKNOWN } from "../../runtime/messages/plainText";
import type { Decision } from "../../resource/decision";
import type { Imported, StoredState } from "../../resource/lifeCycle";
import type { LinkTimes } from "../../service/renewalWindow";
import type { CheckedSource } from "../source/bundleSource";
import type { BundleRequirements } from "../source/requirements";
import type { PublicationContext, SharedByPublications } from "./context";
import { derivedOwner, isOwnerId, newOwner, type Owner } from "../ownership/owner";
import type { OfflineSearch } from "../../site/offlineSearch/options";
import { type LimitedContext, withinLimit } from "../../resource/withinLimit";
import type { CopyComparison } from "../destinations/destination";

/** The inputs that every publishing resource has, after check: defaults filled in, values normalised. */
export interface PublishedInputs extends BundleRequirements {
  /** The source of the bundle, as plain values. */
  readonly source: CheckedSource;
  /** Number of earlier copies or kits to keep. */
  readonly keep: number;
  /** The search to add, if any. */
  readonly offlineSearch?: OfflineSearch;
  /** Name of the environment variable with the private key. */
  readonly signingKeyEnv?: string;
}

/** Data stored beside the outputs and not shown to users. */
export interface PublishedBookkeeping {
  /** A comparison found the newest item gone or changed, or a run was interrupted while it published the item. */
  readonly drifted?: Drift | undefined;
  /** The ID in the marks at the destination, see `Owner`. Absent in states of versions without marks, until the next update. */
  readonly owner?: string | undefined;
}

/** The state of a resource that publishes bundles. */
export interface PublishedState extends StoredState {
  readonly bookkeeping: PublishedBookkeeping;
}

/** The types of one kind of publishing resource. */
export interface Published {
  readonly inputs: PublishedInputs;
  /** A copy or kit that was published and not yet removed, as the state stores it. Plain values; no secret. */
  readonly item: { readonly bundle: Pick<Bundle, "size"> & Pick<Inspection, "files" | "selfContained"> };
  readonly state: PublishedState;
}

/** Outputs of the bundle that are known before it is published. */
export function knownOfBundle({ source, offlineSearch }: PublishedInputs) {
  const search = offlineSearch === undefined ? undefined : UNKNOWN;
  return {
    version: isUnknown(source) ? UNKNOWN : source.version,
    jobId: isUnknown(source) ? UNKNOWN : "jobId" in source ? source.jobId : undefined,
    searchPages: search,
    searchVersion: search,
  };
}

/** How the newest item differs from what was published. */
export type Drift = Exclude<CopyComparison, "same"> | "partial";

/** The outputs for a link. Empty when there is no link. */
export interface LinkOutputs extends LinkTimes {
  readonly bundleUrl?: string;
}

/** A local bundle that passed the inspection and may be published. */
export interface CheckedBundle {
  readonly bundle: Bundle;
  readonly inspection: Inspection;
}

/** Everything that differs between the resources that publish bundles: what they publish, where, and how they sign it. */
export interface PublicationKind<T extends Published> {
  /** The terms that messages use. */
  readonly terms: {
    /** The resource: "BundleCopy". */
    readonly resource: string;
    /** What is published: "copy", "copies". */
    readonly item: string;
    readonly items: string;
    /** "made", "written" */
    readonly made: string;
    /** The name of the tracing span of a publication. */
    readonly span: string;
  };
  readonly table: InputTable<T["inputs"]>;
  readonly outputs: OutputRows;
  readonly noBookkeeping: T["state"]["bookkeeping"];

  /** Takes an item under management, see {@link LifeCycle}. */
  import(context: PublicationContext, id: string): Promise<Imported<T["inputs"], T["state"]>>;

  /** Problems of inputs that are valid one by one, but not together. */
  conflicts(inputs: T["inputs"]): CheckFailure[];
  /**
   * Problems of valid inputs on this machine, found without a request, besides those of bundle and key. Called only when the operation
   * will publish.
   */
  localFailures(inputs: T["inputs"]): readonly CheckFailure[];

  /** The destination in messages and, once all its inputs are known, Pulumi's ID of the resource. */
  destinationName(inputs: T["inputs"]): string;
  /** The values that identify the destination in records, the same in every run. Plain values. */
  destinationKey(inputs: T["inputs"]): unknown;
  /** The place of the destination, as far as this machine can tell: another place means another destination. Plain values. */
  placeOf(inputs: T["inputs"]): unknown;
  /** Whether an item that must be on this machine is not there: a runner may begin with an empty folder. One look. */
  isMissing(inputs: T["inputs"], item: T["item"]): boolean;
  /** The action in messages: "job 7 of docs.example.com is copied to s3://docs" */
  actionText(inputs: T["inputs"]): string;
  /** The subject of an error message: "job 7 of docs.example.com to s3://docs" */
  subject(inputs: T["inputs"]): string;
  /** The address of an item. Other content has another address. */
  addressOf(item: T["item"], inputs: T["inputs"]): string;

  inputsOf(state: T["state"]): T["inputs"];
  /** Newest first. */
  itemsOf(state: T["state"]): readonly T["item"][];
  /** @param items newest first, at least one. @param link `undefined` when no link was signed */
  stateOf(inputs: T["inputs"], items: readonly T["item"][], link?: LinkOutputs): T["state"];

  /** The outputs of an item before it is published, besides the inputs. What is only known afterwards is `UNKNOWN`. */
  outputsBefore(inputs: T["inputs"]): Readonly<Record<string, unknown>>;

  /** Reasons to publish that are specific to this kind. */
  reasonsToPublish(inputs: T["inputs"], state: T["state"]): string[];
  /** Why a link must be signed; `undefined` when it need not be. */
  reasonToSign?(inputs: T["inputs"], state: T["state"], nowMs: number): Decision | undefined;

  /**
   * Checks everything that can fail before the bundle is fetched.
   *
   * @param earlier items of this resource
   * @returns publishes a bundle. Its `placing` is called as soon as a part of the item may be visible at the destination
   */
  prepare(
    context: OwnedContext,
    inputs: T["inputs"],
    earlier: readonly T["item"][],
  ): (checked: CheckedBundle, placing: (item: T["item"]) => void) => Promise<T["item"]>;
  /** Whether an item is still at the destination as it was published. */
  compare(context: OwnedContext, inputs: T["inputs"], item: T["item"]): Promise<CopyComparison>;
  /** Writes the owner's mark at items that are there, and publishes nothing. */
  mark(context: OwnedContext, inputs: T["inputs"], items: readonly T["item"][]): Promise<void>;
  /**
   * Takes the owner's marks away, and removes items that no other owner has; an item that is already gone is not an error.
   *
   * @param kept empty when the resource is deleted
   */
  remove(
    context: OwnedContext,
    inputs: T["inputs"],
    items: readonly T["item"][],
    kept: readonly T["item"][],
  ): Promise<void>;
  /** A link to the item, if it has one that the publication did not return. */
  link?(context: OwnedContext, inputs: T["inputs"], item: T["item"]): Promise<LinkOutputs | undefined>;
}

/** The context of an operation on the items of one resource, which leaves its marks. */
export type OwnedContext = LimitedContext & SharedByPublications & { readonly owner: Owner };

/** An operation on the items of one resource. */
export interface PublicationWork<T extends Published, Given = OwnedContext> {
  readonly kind: PublicationKind<T>;
  readonly context: Given;
  readonly inputs: T["inputs"];
  /** The state that the engine passed. */
  readonly stored: T["state"] | undefined;
}

/** The state with another drift, or without drift. */
export function withDrift<State extends PublishedState>(state: State, found: Drift | "same"): State {
  const drifted = found === "same" ? undefined : found;
  return { ...state, bookkeeping: present({ ...state.bookkeeping, drifted }) };
}

/** The state with the ID of its owner. */
export function withOwner<State extends PublishedState>(state: State, { id: owner }: Owner): State {
  return { ...state, bookkeeping: { ...state.bookkeeping, owner } };
}

/** The link in a state, as its outputs. */
export function linkOf<T extends Published>(kind: PublicationKind<T>, { outputs }: T["state"]): LinkOutputs {
  return outputsAmong(rowsThat("isRenewed", kind.outputs), outputs);
}

/**
 * Runs an operation on the items of a resource with a time limit, as their owner. A create always is a new one: with the same URN, it
 * may replace a resource that still exists.
 *
 * @param limitMs in milliseconds
 */
export function asOwner<T extends Published, Result>(
  work: PublicationWork<T, PublicationContext>,
  limitMs: number,
  run: (work: PublicationWork<T>) => Promise<Result>,
): Promise<Result> {
  const owner = ownerOf(work);
  return withinLimit(work.context, limitMs, (context) => run({ ...work, context: { ...context, owner } }));
}

function ownerOf<T extends Published>(work: PublicationWork<T, PublicationContext>): Owner {
  const { kind, stored, context } = work;
  const { urn } = context;
  if (!stored) return newOwner(urn);
  const { owner: id } = stored.bookkeeping;
  if (isOwnerId(id)) return { id, urn, hasMarks: true };
  return derivedOwner("adopt", urn, JSON.stringify(kind.destinationKey(kind.inputsOf(stored))));
}
