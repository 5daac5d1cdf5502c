// Deletes resources that the program no longer has, each after everything that depends on it.
import type { StepOp } from "../stack.ts";
import { dependenciesOf, type Deployment, isTarget, noteFailure } from "./deployment.ts";
import { withRetries } from "./retries.ts";
import type { StoredResource } from "./stateFile.ts";

/** Deletes all resources that this operation hasn't processed. */
export async function deleteTheRest(deployment: Deployment): Promise<void> {
  const doomed = condemned(deployment);
  refuseUntargeted(deployment, doomed);
  for (const { urn } of doomed) deployment.deleted.add(urn);
  for (const layer of layers(doomed)) {
    if (deployment.stop.isRequested) return;
    const spared = neededByFailed(deployment);
    await Promise.all(
      layer
        .filter((resource) => !spared.has(resource.urn))
        .map((resource) =>
          deployment.work.run(async () => {
            if (!deployment.stop.isRequested) await deleteResource(deployment, resource, stepOf(resource));
          }),
        ),
    );
  }
}

function stepOf({ external, pendingDeletion }: StoredResource): StepOp {
  if (external) return "discard";
  return pendingDeletion ? "delete-replaced" : "delete";
}

/** @returns whether it succeeded */
export async function deleteResource(
  deployment: Deployment,
  resource: StoredResource,
  op: StepOp,
): Promise<boolean> {
  const { report, ledger } = deployment;
  report.started(op, resource.urn);
  if (resource.protect && op !== "delete-replaced") {
    // the others are still deleted, so that one run names all protected ones
    report.ended({ op, urn: resource.urn, error: describeProtection(resource.urn) });
    deployment.failed.add(resource.urn);
    return false;
  }
  const { urn, id, hooks, inputs: oldInputs, outputs: oldOutputs } = resource;
  const subject = { urn, id, oldInputs, oldOutputs };
  const exists = resource.custom && !resource.external;
  const end = ledger.begin({ urn: resource.urn, type: "deleting" });
  try {
    const goesAlong = resource.deletedWith !== undefined && deployment.deleted.has(resource.deletedWith);
    if (exists && !resource.retainOnDelete && !goesAlong && !deployment.dryRun) {
      const provider = await deployment.providers.of(resource);
      await withRetries(deployment, { operation: "delete", hooks, subject }, () => provider.delete(resource));
    }
  } catch (error) {
    report.ended({ op, urn: resource.urn, error: (error as Error).message });
    noteFailure(deployment, resource.urn);
    end();
    return false;
  }
  ledger.drop(resource);
  end();
  report.ended({ op, urn: resource.urn });
  return true;
}

const describeProtection = (urn: string) => `resource "${urn}" cannot be deleted\nbecause it is protected.`;

/** With targets: those, and what depends on them. With excludes: all but those, and what they depend on. */
function condemned(deployment: Deployment): StoredResource[] {
  const rest = deployment.ledger.rest();
  const { targets, excludes } = deployment.options;
  if (targets) {
    const reached = new Set(rest.filter((resource) => isTarget(deployment, resource)));
    const urns = new Set([...reached].map(({ urn }) => urn));
    for (const resource of rest) {
      if (!dependenciesOf(resource).some((urn) => urns.has(urn))) continue;
      reached.add(resource);
      urns.add(resource.urn);
    }
    return rest.filter((resource) => reached.has(resource));
  }
  if (!excludes) return rest;
  const spared = new Set(excludes);
  // dependencies come first in the list
  for (const resource of deployment.ledger.all().toReversed()) {
    if (spared.has(resource.urn)) for (const urn of dependenciesOf(resource)) spared.add(urn);
  }
  return rest.filter(({ urn }) => !spared.has(urn));
}

function refuseUntargeted(deployment: Deployment, doomed: StoredResource[]): void {
  if (deployment.options.targetDependents) return;
  const strays = doomed.filter((resource) => !isTarget(deployment, resource));
  if (strays.length === 0) return;
  for (const { urn } of strays) {
    deployment.report.error(
      `Resource '${urn}' will be destroyed but was not specified in --target list.`,
      urn,
    );
  }
  deployment.stop.request("failed");
}

/**
 * All resources of a layer can be deleted at once, after the layers before it. More careful than necessary, as in the real engine
 * (ScheduleDeletes).
 */
function layers(doomed: readonly StoredResource[]): StoredResource[][] {
  const depths = new Map<StoredResource, number>();
  const depthOf = (resource: StoredResource): number => {
    const known = depths.get(resource);
    if (known !== undefined) return known;
    depths.set(resource, 0);
    const dependencies = new Set(dependenciesOf(resource));
    const below = doomed.filter((other) => other !== resource && dependencies.has(other.urn));
    const depth = below.length === 0 ? 0 : 1 + Math.max(...below.map(depthOf));
    depths.set(resource, depth);
    return depth;
  };
  const result: StoredResource[][] = [];
  for (const resource of doomed) (result[depthOf(resource)] ??= []).push(resource);
  return result.reverse();
}

/** The dependencies of a failed resource stay. */
function neededByFailed(deployment: Deployment): Set<string> {
  const all = deployment.ledger.all();
  const needed = new Set<string>();
  const visit = (urn: string): void => {
    for (const resource of all) {
      if (resource.urn !== urn) continue;
      for (const dependency of dependenciesOf(resource)) {
        if (needed.has(dependency)) continue;
        needed.add(dependency);
        visit(dependency);
      }
    }
  };
  for (const urn of deployment.failed) visit(urn);
  return needed;
}
