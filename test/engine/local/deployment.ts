// State that the parts of one running operation share.
import type { OperationKind } from "../operationKind.ts";
import type { OperationOptions } from "../stack.ts";
import type { Hooks } from "./hooks.ts";
import type { Ledger } from "./ledger.ts";
import type { PropertyMap } from "./propertyValues.ts";
import { parseReference } from "./providerReference.ts";
import type { Providers } from "./providers.ts";
import type { Report } from "./report.ts";
import type { Slots } from "./slots.ts";
import type { StoredResource } from "./stateFile.ts";
import type { StopRequest } from "./stopRequest.ts";

export interface Deployment {
  readonly kind: OperationKind;
  readonly project: string;
  readonly stack: string;
  readonly options: OperationOptions;
  readonly dryRun: boolean;
  readonly report: Report;
  readonly ledger: Ledger;
  readonly stop: StopRequest;
  /** The engine plans one resource after the other… */
  readonly planning: Slots;
  /** …and executes several at once. */
  readonly work: Slots;
  readonly providers: Providers;
  readonly hooks: Hooks;
  /** Components that were created or updated, and still wait for their outputs. */
  readonly unfinishedComponents: Map<string, FinishComponent>;
  /** The result of a step is kept, but a hook of the program has failed after it. */
  hasFailedHook: boolean;
  /** URNs whose step failed or was skipped, for `continueOnError`. */
  readonly failed: Set<string>;
  /** Resources that the program has declared, by URN. */
  readonly declared: Map<string, StoredResource>;
  /** Old URN → new URN. */
  readonly aliased: Map<string, string>;
  /** Left out by `targets` or `excludes`, and not in the state. */
  readonly skippedCreates: Set<string>;
  /** Targets by `targetDependents`, beside the named ones. */
  readonly targetedDependents: Set<string>;
  /** URNs that are replaced. */
  readonly replaced: Set<string>;
  /** URNs that are deleted, or will be. */
  readonly deleted: Set<string>;
}

/** Runs the hooks that waited for the component's outputs. */
export type FinishComponent = (outputs: PropertyMap) => Promise<void>;

/** By its own name. */
export const isTarget = ({ options }: Deployment, { urn }: StoredResource): boolean =>
  options.targets?.includes(urn) ?? true;

/** Whether this operation may change it. Called for dependencies first, then for their dependants. */
export function isIncluded(deployment: Deployment, resource: StoredResource): boolean {
  const { options, targetedDependents } = deployment;
  if (!options.targets) return !options.excludes?.includes(resource.urn);
  if (isTarget(deployment, resource)) return true;
  const isTargeted = (urn: string) => options.targets?.includes(urn) || targetedDependents.has(urn);
  if (!options.targetDependents || !dependenciesOf(resource).some(isTargeted)) return false;
  targetedDependents.add(resource.urn);
  return true;
}

/** Parent and provider first, then all dependencies of its inputs. */
export const dependenciesOf = (resource: StoredResource): string[] => [
  ...(resource.parent ? [resource.parent] : []),
  ...(resource.provider ? [parseReference(resource.provider).urn] : []),
  ...resource.dependencies,
  ...Object.values(resource.propertyDependencies).flat(),
  ...(resource.deletedWith ? [resource.deletedWith] : []),
];

/** A step failed: everything stops, or only its dependants. */
export function noteFailure(deployment: Deployment, urn: string): void {
  deployment.failed.add(urn);
  if (!deployment.options.continueOnError) deployment.stop.request("failed");
}

/** The result of the step stays; nothing new is started. */
export function noteFailedHook(deployment: Deployment, urn: string, error: unknown): void {
  deployment.report.error((error as Error).message, urn);
  deployment.hasFailedHook = true;
  if (!deployment.options.continueOnError) deployment.stop.request("failed");
}
