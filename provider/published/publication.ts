import type { Inspection } from "../archive/site";
import type { Bundle } from "../destination/destination";
import type { InputTable, CheckFailure } from "../resource/inputTable";
import type { Decision } from "../resource/decision";
import type { StoredState } from "../resource/lifeCycle";
import type { ConfigurationSource } from "../service/configuration";
import type { LinkTimes } from "../service/renewalWindow";
import type { CheckedSource } from "../source/bundleSource";
import type { BundleDemands } from "../source/demands";
import type { WorkContext } from "../source/workFolders";

/** What a look at something published found. */
export type Seen = "same" | "changed" | "gone";

/** Inputs that every published resource has, after check. */
export interface PublishedInputs extends BundleDemands {
  readonly source: CheckedSource;
  /** How many earlier items stay beside the newest. */
  readonly keep: number;
}

/** A copy or kit that was published and not removed yet, as the state keeps it. Plain values; no secret. */
export interface PublishedItem {
  readonly bundle: {
    /** Of the archive, in bytes. */
    readonly size: number;
    /** Of the site. */
    readonly files: number;
    readonly selfContained: boolean;
  };
}

/** The state of a resource that publishes bundles. */
export interface PublishedState extends StoredState {
  readonly outputs: object;
  readonly bookkeeping: {
    /** A look found the newest item gone or changed; or a run was cut off while it published the item. */
    readonly drifted?: Drift | undefined;
  };
}

/** The types of one kind. */
export interface Published {
  readonly inputs: PublishedInputs;
  readonly item: PublishedItem;
  readonly state: PublishedState;
}

/** How the newest item differs from what was published. */
export type Drift = Exclude<Seen, "same"> | "partial";

/** The outputs of a link. Empty: there is none. */
export interface LinkOutputs extends LinkTimes {
  readonly bundleUrl?: string;
}

/** A bundle on this machine that may be published. */
export interface CheckedBundle {
  readonly bundle: Bundle;
  readonly inspection: Inspection;
}

/** Publishes a bundle. @param placing called as soon as something of the item may be visible in its place */
export type Publish<Item> = (checked: CheckedBundle, placing: (item: Item) => void) => Promise<Item>;

/** All that differs between the resources that publish bundles: what is published, where, and how it is signed. */
export interface PublicationKind<T extends Published> {
  /** Words of messages. */
  readonly words: {
    /** The resource: "BundleCopy". */
    readonly resource: string;
    /** What is published: "copy", "copies". */
    readonly item: string;
    readonly items: string;
    /** "made", "written" */
    readonly made: string;
    /** The span of a publication. */
    readonly span: string;
  };
  readonly table: InputTable<T["inputs"]>;
  readonly noBookkeeping: T["state"]["bookkeeping"];

  /** What is wrong with valid inputs on this machine, without any request: asked where something will surely be published. */
  failuresHere(inputs: T["inputs"], configuration: ConfigurationSource): CheckFailure[];

  /** The place in messages, and where all of it is known Pulumi's id of the resource. */
  destinationName(inputs: T["inputs"]): string;
  /** What makes the place another one when it changes. Plain values. */
  destinationKey(inputs: T["inputs"]): unknown;
  /** What publishing does: "job 7 of docs.example.com is copied to s3://docs" */
  deed(inputs: T["inputs"]): string;
  /** What a failure is about: "job 7 of docs.example.com to s3://docs" */
  subject(inputs: T["inputs"]): string;
  /** Where an item is. Another one for other content. */
  addressOf(item: T["item"], inputs: T["inputs"]): string;

  inputsOf(state: T["state"]): T["inputs"];
  /** The newest first. */
  itemsOf(state: T["state"]): readonly T["item"][];
  linkOf(state: T["state"]): LinkOutputs;
  /** @param items the newest first, at least one. @param link `undefined` where none was signed */
  stateOf(inputs: T["inputs"], items: readonly T["item"][], link?: LinkOutputs): T["state"];

  /** Reasons to publish that only this kind has. */
  reasonsToPublish(inputs: T["inputs"], state: T["state"], changed: readonly string[]): string[];
  /** Why a link is to be signed. */
  reasonToSign?(inputs: T["inputs"], state: T["state"], nowMs: number): Decision | undefined;

  /** Everything that can be wrong before the bundle is fetched. @param earlier items of this resource */
  prepare(context: WorkContext, inputs: T["inputs"], earlier: readonly T["item"][]): Publish<T["item"]>;
  /** Whether an item is there as it was published. */
  compare(context: WorkContext, inputs: T["inputs"], item: T["item"]): Promise<Seen>;
  /** Removes items; one that is gone already is no error. @param kept none: the resource goes */
  remove(
    context: WorkContext,
    inputs: T["inputs"],
    items: readonly T["item"][],
    kept: readonly T["item"][],
  ): Promise<void>;
  /** A link to the item, where there is one that the publication did not tell. */
  link?(context: WorkContext, inputs: T["inputs"], item: T["item"]): Promise<LinkOutputs | undefined>;
}

/** An operation on what one resource publishes. */
export interface PublicationWork<T extends Published, Given = WorkContext> {
  readonly kind: PublicationKind<T>;
  readonly context: Given;
  readonly inputs: T["inputs"];
  /** The state that the engine has. */
  readonly stored: T["state"] | undefined;
}

/** The state with another drift, or with none. */
export function withDrift<State extends PublishedState>(
  { outputs, bookkeeping }: State,
  drifted?: Drift,
): State {
  const rest = Object.entries(bookkeeping).filter(([name]) => name !== "drifted");
  const marked = { ...Object.fromEntries(rest), ...(drifted && { drifted }) };
  return { outputs, bookkeeping: marked } as unknown as State;
}
