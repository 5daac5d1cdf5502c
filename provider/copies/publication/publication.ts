import { isUnknown, UNKNOWN } from "../../base/runtime/messages/plainText";
import { present } from "../../base/runtime/values/fields";
import {
  type Bundle,
  type Claimant,
  type CopyComparison,
  type Inspection,
  isOwnerId,
  newOwner,
  type Owner,
  type SiteAdditions,
} from "../../publishing/index";
import type { Decision } from "../../resource/decision";
import type { CheckFailure, InputTable } from "../../resource/inputTable";
import type { Imported, StoredState } from "../../resource/lifeCycle";
import { type OutputRows, outputsAmong, rowsThat } from "../../resource/outputTable";
import { type LimitedContext, withinLimit } from "../../resource/withinLimit";
import type { LinkTimes } from "../../service/renewalWindow";
import { type CheckedSource, jobOf } from "../source/bundleSource";
import type { BundleRequirements } from "../source/requirements";
import type { PublicationContext, SharedByPublications } from "./context";

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
export function knownOfBundle({ source, offlineSearch, llmsTxt, fetchExternal }: PublishedInputs) {
  const search = offlineSearch === undefined ? undefined : UNKNOWN;
  const llms = llmsTxt === undefined ? undefined : UNKNOWN;
  return {
    version: isUnknown(source) ? UNKNOWN : source.version,
    jobId: isUnknown(source) ? UNKNOWN : jobOf(source),
    searchPages: search,
    searchVersion: search,
    llmsPages: llms,
    llmsVersion: llms,
    fetchedAssets: fetchExternal === undefined ? undefined : UNKNOWN,
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
  /** The input that says where the items are: failures of the check name it. */
  readonly placeInput: string;
  /** Texts that identify the place, if it belongs to one resource. None as long as it is not known. */
  placesOf(inputs: T["inputs"]): readonly string[];
  /** What a program writes to give a resource of this name a place of its own. */
  ownPlace(inputs: T["inputs"], name: string): string;
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
  /** Refuses a destination of another resource. Writes nothing. */
  check(context: OwnedContext, inputs: T["inputs"], items: readonly T["item"][]): Promise<void>;
  /** Writes the owner's mark, and publishes nothing. */
  claim(context: OwnedContext, inputs: T["inputs"], items: readonly T["item"][]): Promise<void>;
  /**
   * Removes items; one that is already gone is not an error. Nothing is removed from a destination that is not the owner's.
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

/** The context of an operation on the items of one resource, and its rights at the destination. */
export type OwnedContext = LimitedContext & SharedByPublications & Claimant;

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

/** The state with the ID of its owner, who has the destination. */
export function withOwner<State extends PublishedState>(state: State, { id: owner }: Owner): State {
  return { ...state, bookkeeping: present({ ...state.bookkeeping, owner, adopts: undefined }) };
}

/** The state with the owner of another state: nothing was written to the destination. */
export function withOwnerOf<State extends PublishedState>(state: State, before: State | undefined): State {
  const { owner, adopts } = before?.bookkeeping ?? {};
  return { ...state, bookkeeping: present({ ...state.bookkeeping, owner, adopts }) };
}

/** The link in a state, as its outputs. */
export function linkOf<T extends Published>(kind: PublicationKind<T>, { outputs }: T["state"]): LinkOutputs {
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
