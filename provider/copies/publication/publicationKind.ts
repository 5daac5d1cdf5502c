import type { DestinationError } from "../../base/runtime/messages/errors";
import type { Bundle, Claimant, CopyComparison, Inspection, Kept } from "../../publishing/index";
import type { Decision } from "../../resource/decision";
import type { CheckFailure, InputTable } from "../../resource/inputTable";
import type { Imported } from "../../resource/lifeCycle";
import type { OutputRows } from "../../resource/outputTable";
import type { LimitedContext } from "../../resource/withinLimit";
import type { PublicationContext, SharedByPublications } from "./context";
import type { CopyLinkOutputs, Published } from "./publication";

/** A local bundle that passed the inspection and may be published. */
export interface CheckedBundle {
  readonly bundle: Bundle;
  readonly inspection: Inspection;
}

/** The terms that messages use. */
interface PublicationTerms {
  /** The resource: "BundleCopy". */
  readonly resource: string;
  /** What is published: "copy", "copies". */
  readonly item: string;
  readonly items: string;
  /** "made", "written" */
  readonly made: string;
  /** What is done with a source: "is copied", "is written". */
  readonly action: string;
  /** What of a source is published, before its name: "a kit of ". Empty if it is the source itself. */
  readonly of: string;
  /** The name of the tracing span of a publication. */
  readonly span: string;
}

/** How a state has the inputs and the items. */
export interface StateForm<T extends Published> {
  /** The bookkeeping of a resource without stored bookkeeping. */
  readonly noBookkeeping: T["state"]["bookkeeping"];
  readonly inputsOf: (state: T["state"]) => T["inputs"];
  /** Newest first. */
  readonly itemsOf: (state: T["state"]) => readonly T["item"][];
  /** @param items newest first, at least one. @param link `undefined` when no link was signed */
  readonly stateOf: (inputs: T["inputs"], items: readonly T["item"][], link?: CopyLinkOutputs) => T["state"];
  /** The outputs of an item before it is published, besides the inputs. What is only known afterwards is `UNKNOWN`. */
  readonly outputsBefore: (inputs: T["inputs"]) => Readonly<Record<string, unknown>>;
}

/** Links to items that have an address. */
export interface PublicationLinks<T extends Published> {
  /** Why a link must be signed; `undefined` when it need not be. */
  reasonToSign(inputs: T["inputs"], state: T["state"], nowMs: number): Decision | undefined;
  /** A link to an item, if it has one that the publication did not return. */
  sign(context: OwnedContext, inputs: T["inputs"], item: T["item"]): Promise<CopyLinkOutputs | undefined>;
}

/** Where the items of a resource are: what is known of it without a request, and the operations on it. */
export interface PublicationDestination<Item> {
  /** In messages and, once all its inputs are known, Pulumi's ID of the resource. */
  readonly name: string;
  /** The values that identify it in records, the same in every run. Plain values. */
  key(): unknown;
  /** Its place, as far as this machine can tell: another place means another destination. Plain values. */
  place(): unknown;
  /** Texts that identify the place, if it belongs to one resource. None as long as it is not known. */
  ownedPlaces(): readonly string[];
  /** The input that says where the items are: failures of the check name it. */
  readonly input: string;
  /** Why its place refuses a resource that has no state yet, as far as this machine can tell without a request. */
  refusal(urn: string): DestinationError | undefined;
  /** What a program writes to give a resource of this name a place of its own. */
  placeFor(name: string): string;
  /** The address of an item. Other content has another address. */
  readonly addressOf: (item: Item) => string;
  /** Whether an item that must be on this machine is not there: a runner may begin with an empty folder. One look. */
  isMissing(item: Item): boolean;

  /** Refuses a destination of another resource. Writes nothing. */
  check(context: OwnedContext, items: readonly Item[]): Promise<void>;
  /** Writes the owner's mark, and publishes nothing. */
  claim(context: OwnedContext, items: readonly Item[]): Promise<void>;
  /**
   * Checks everything that can fail before the bundle is fetched.
   *
   * @param earlier items of this resource
   * @returns publishes a bundle. Its `placing` is called as soon as a part of the item may be visible at the destination
   */
  prepare(
    context: OwnedContext,
    earlier: readonly Item[],
  ): (checked: CheckedBundle, placing: (item: Item) => void) => Promise<Item>;
  /** Whether an item is still there as it was published. */
  compare(context: OwnedContext, item: Item): Promise<CopyComparison>;
  /**
   * Removes items, and keeps others; one that is already gone is not an error. Nothing is removed from a destination that is not the
   * owner's.
   */
  prune(context: OwnedContext, items: readonly Item[], kept: Kept<Item>): Promise<void>;
  /** Removes everything of the owner, its mark last. @param items that the resource has there */
  release(context: OwnedContext, items: readonly Item[]): Promise<void>;
}

/** A kind of resource that publishes bundles: what Pulumi must know of it. */
export interface PublicationKind<T extends Published> {
  readonly terms: PublicationTerms;
  readonly table: InputTable<T["inputs"]>;
  readonly outputs: OutputRows;
  readonly state: StateForm<T>;
  /** Problems of inputs that are valid one by one, but not together. */
  conflicts(inputs: T["inputs"]): CheckFailure[];
  /**
   * Problems of valid inputs on this machine, found without a request, besides those of bundle and key. Called only when the operation
   * will publish.
   */
  localFailures(inputs: T["inputs"]): readonly CheckFailure[];
  /** Reasons to publish that no changed input shows. @default none */
  reasonsToPublish?(inputs: T["inputs"], state: T["state"]): string[];
  destinationOf(inputs: T["inputs"]): PublicationDestination<T["item"]>;
  /** Absent if items have no links. */
  readonly links?: PublicationLinks<T>;
  /** Takes an item under management, see `LifeCycle.import`. */
  import(context: PublicationContext, id: string): Promise<Imported<T["inputs"], T["state"]>>;
}

/** The context of an operation on the items of one resource, and its rights at the destination. */
export type OwnedContext = LimitedContext & SharedByPublications & Claimant;
