// What the engine asks of whoever makes resources: the dynamic-provider process, or the stand-in of `kubernetes/`.
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
  /** `undefined`: the provider leaves it to the engine to compare the inputs. */
  changes: boolean | undefined;
  replaces: string[];
  deleteBeforeReplace: boolean;
}

/** What a provider knows of a resource after create or update, also when that failed midway. */
export interface ProviderState {
  id: string;
  outputs: PropertyMap;
}

/** A call that failed. With `partial` the resource exists nevertheless, and `reasons` say what is wrong with it. */
export class ProviderError extends Error {
  readonly partial: (ProviderState & { reasons: string[] }) | undefined;

  constructor(message: string, partial?: ProviderState & { reasons: string[] }) {
    super(message);
    this.partial = partial;
  }

  /** Exists, but isn't as it should be. */
  static unfinished(state: ProviderState, reasons: string[]): ProviderError {
    return new ProviderError(describeReasons(reasons), { ...state, reasons });
  }
}

/** Every call but `cancel`, `stop` and `close` may fail with a `ProviderError`. Values carry their marks. */
export interface Provider {
  check(urn: string, olds: PropertyMap, news: PropertyMap): Promise<Checked>;
  diff(old: StoredResource, urn: string, news: PropertyMap, ignoreChanges: string[]): Promise<ProviderDiff>;
  create(urn: string, inputs: PropertyMap): Promise<ProviderState>;
  update(old: StoredResource, urn: string, inputs: PropertyMap): Promise<ProviderState>;
  /** An empty `id` means that the resource is gone. */
  read(
    resource: Pick<StoredResource, "urn" | "id" | "inputs" | "outputs">,
  ): Promise<ProviderState & { inputs: PropertyMap }>;
  delete(resource: StoredResource): Promise<void>;
  /** Ctrl-C, once. */
  cancel(): Promise<void>;
  /** Ctrl-C, twice: no call that runs is waited for. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** As the real CLI words it (hashicorp/go-multierror's list). */
const describeReasons = (reasons: string[]) =>
  `${reasons.length} error${reasons.length === 1 ? "" : "s"} occurred:\n${reasons.map((reason) => `\t* ${reason}\n`).join("")}\n`;
