// What the parts of one running operation share.
import type { OperationOptions } from "../stack.ts";
import type { DynamicProvider } from "./dynamicProvider.ts";
import type { Ledger } from "./ledger.ts";
import type { Report } from "./report.ts";
import type { Slots } from "./slots.ts";
import type { StoredResource } from "./stateFile.ts";
import type { StopSign } from "./stopSign.ts";
import type { OperationKind } from "../operationKind.ts";

export interface Deployment {
  readonly kind: OperationKind;
  readonly project: string;
  readonly stack: string;
  readonly options: OperationOptions;
  readonly dryRun: boolean;
  readonly report: Report;
  readonly ledger: Ledger;
  readonly stop: StopSign;
  /** The engine decides on one resource after the other… */
  readonly planning: Slots;
  /** …and carries out several at once. */
  readonly work: Slots;
  provider(): Promise<DynamicProvider>;
  /** URNs whose step failed or was skipped, for `continueOnError`. */
  readonly failed: Set<string>;
  /** Resources that the program has declared, by URN. */
  readonly declared: Map<string, StoredResource>;
  /** Old URN → new URN. */
  readonly aliased: Map<string, string>;
  /** Left out by `targets`, and not there before. */
  readonly skippedCreates: Set<string>;
  /** Deleted ahead of a replacement of something that they depend on. */
  readonly deletedFirst: Set<StoredResource>;
}

export const isTargeted = (deployment: Deployment, urn: string): boolean =>
  deployment.options.targets?.includes(urn) ?? true;

/** Parent first, then everything its inputs were made of. */
export const dependenciesOf = (resource: StoredResource): string[] => [
  ...(resource.parent ? [resource.parent] : []),
  ...resource.dependencies,
  ...Object.values(resource.propertyDependencies).flat(),
];

/** A step failed: everything stops, or just what depends on it. */
export function noteFailure(deployment: Deployment, urn: string): void {
  deployment.failed.add(urn);
  if (!deployment.options.continueOnError) deployment.stop.raise("failed");
}
