// The interface of a provider to the engine: the process of a plugin, or the stand-in of `kubernetes/`.
import type { PropertyMap } from "./propertyValues.ts";
import type { StoredResource } from "./stateFile.ts";

export interface CheckFailure {
  property: string;
  reason: string;
}

export interface Checked {
  inputs: PropertyMap;
  failures: CheckFailure[];
}

export interface ProviderDiff {
  /** `undefined`: the provider lets the engine compare the inputs. */
  changes: boolean | undefined;
  replaces: string[];
  deleteBeforeReplace: boolean;
  /** Top-level keys that changed, where the provider says so. */
  diffs?: string[];
  /** Why the provider could not be asked. */
  warning?: string;
}

/** A provider's result of create or update, also when that failed midway. */
export interface ProviderState {
  id: string;
  outputs: PropertyMap;
}

/** A call that failed. With `partial` the resource still exists, and `reasons` say what is wrong with it. */
export class ProviderError extends Error {
  readonly partial: (ProviderState & { reasons: string[] }) | undefined;

  constructor(message: string, partial?: ProviderState & { reasons: string[] }) {
    super(message);
    this.partial = partial;
  }

  /** Exists, but isn't healthy. */
  static unfinished(state: ProviderState, reasons: string[]): ProviderError {
    return new ProviderError(describeReasons(reasons), { ...state, reasons });
  }
}

/** How a resource is made. */
export interface Making {
  /** Nothing is made: what it would be, as far as that is known. */
  preview: boolean;
  /** The program's, in seconds; 0 is none. */
  timeout: number;
}

/** What a provider reads of: one of the state, one that a program names, or, without inputs and outputs, one to be imported. */
export type ReadSubject = Pick<StoredResource, "urn"> & {
  id?: string | undefined;
  inputs?: PropertyMap;
  outputs?: PropertyMap;
  timeout?: number;
};

export interface ReadAnswer {
  /** Empty: the resource is gone. */
  id: string;
  /** `undefined`: there is no such resource. */
  outputs: PropertyMap | undefined;
  /** `undefined`: the provider does not tell. */
  inputs: PropertyMap | undefined;
}

/** Every call but `cancel`, `stop` and `close` may fail with a `ProviderError`. Values carry their marks. */
export interface Provider {
  check(urn: string, olds: PropertyMap, news: PropertyMap): Promise<Checked>;
  diff(old: StoredResource, urn: string, news: PropertyMap, ignoreChanges: string[]): Promise<ProviderDiff>;
  /** Whether it takes part in previews: the others are not asked to make anything then. */
  readonly supportsPreview: boolean;
  create(urn: string, inputs: PropertyMap, making: Making): Promise<ProviderState>;
  update(old: StoredResource, urn: string, inputs: PropertyMap, making: Making): Promise<ProviderState>;
  read(resource: ReadSubject): Promise<ReadAnswer>;
  delete(resource: StoredResource): Promise<void>;
  /** Ctrl-C, once. */
  cancel(): Promise<void>;
  /** Ctrl-C, twice: running calls are not waited for. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** As the real CLI words it (hashicorp/go-multierror's list). */
const describeReasons = (reasons: string[]) =>
  `${reasons.length} error${reasons.length === 1 ? "" : "s"} occurred:\n${reasons.map((reason) => `\t* ${reason}\n`).join("")}\n`;
