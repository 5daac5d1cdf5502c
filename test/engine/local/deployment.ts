// What the parts of one running operation share.
import type { OperationOptions } from "../stack.ts";
import type { Hooks } from "./hooks.ts";
import type { Ledger } from "./ledger.ts";
import type { Providers } from "./providers.ts";
import type { PropertyMap } from "./propertyValues.ts";
import type { Report } from "./report.ts";
import type { Slots } from "./slots.ts";
import type { StoredResource } from "./stateFile.ts";
import type { StopSign } from "./stopSign.ts";
import type { Transforms } from "./transforms.ts";
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
  readonly providers: Providers;
  readonly hooks: Hooks;
  readonly transforms: Transforms;
  /** Components that were created or updated, and still await their outputs. */
  readonly unfinishedComponents: Map<string, FinishComponent>;
  /** What a step did is kept, but a hook of the program's has failed after it. */
  hasFailedHook: boolean;
  /** URNs whose step failed or was skipped, for `continueOnError`. */
  readonly failed: Set<string>;
  /** Resources that the program has declared, by URN. */
  readonly declared: Map<string, StoredResource>;
  /** Old URN → new URN. */
  readonly aliased: Map<string, string>;
  /** Left out by `targets` or `excludes`, and not there before. */
  readonly skippedCreates: Set<string>;
  /** Targets by `targetDependents`, beside those that were named. */
  readonly targetedDependents: Set<string>;
  /** URNs that are replaced. */
  readonly replaced: Set<string>;
  /** URNs that are deleted, or are about to be. */
  readonly deleted: Set<string>;
}

/** Runs the hooks that were waiting for the component's outputs. */
export type FinishComponent = (outputs: PropertyMap) => Promise<void>;

/** By its own name. */
export const isTarget = ({ options }: Deployment, { urn }: StoredResource): boolean =>
  options.targets?.includes(urn) ?? true;

/** Whether this operation may touch it. Asked of dependencies first, then of what depends on them. */
export function isIncluded(deployment: Deployment, resource: StoredResource): boolean {
  const { options, targetedDependents } = deployment;
  if (!options.targets) return !options.excludes?.includes(resource.urn);
  if (isTarget(deployment, resource)) return true;
  const isTargeted = (urn: string) => options.targets?.includes(urn) || targetedDependents.has(urn);
  if (!options.targetDependents || !dependenciesOf(resource).some(isTargeted)) return false;
  targetedDependents.add(resource.urn);
  return true;
}

/** Parent first, then everything its inputs were made of. */
export const dependenciesOf = (resource: StoredResource): string[] => [
  ...(resource.parent ? [resource.parent] : []),
  ...resource.dependencies,
  ...Object.values(resource.propertyDependencies).flat(),
  ...(resource.deletedWith ? [resource.deletedWith] : []),
];

/** A step failed: everything stops, or just what depends on it. */
export function noteFailure(deployment: Deployment, urn: string): void {
  deployment.failed.add(urn);
  if (!deployment.options.continueOnError) deployment.stop.raise("failed");
}

/** What the step did stays; nothing new is started. */
export function noteFailedHook(deployment: Deployment, urn: string, error: unknown): void {
  deployment.report.error((error as Error).message, urn);
  deployment.hasFailedHook = true;
  if (!deployment.options.continueOnError) deployment.stop.raise("failed");
}
