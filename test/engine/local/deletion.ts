// Deletes what nobody wants any more, each resource after everything that depends on it.
import type { StepOp } from "../stack.ts";
import { dependenciesOf, isTarget, noteFailedHook, noteFailure, type Deployment } from "./deployment.ts";
import { withRetries } from "./retries.ts";
import type { StoredResource } from "./stateFile.ts";

/** Deletes all that this operation hasn't dealt with. */
export async function deleteTheRest(deployment: Deployment): Promise<void> {
  const doomed = condemned(deployment);
  refuseUntargeted(deployment, doomed);
  for (const { urn } of doomed) deployment.deleted.add(urn);
  for (const layer of layers(doomed)) {
    if (deployment.stop.isUp) return;
    const spared = neededByFailed(deployment);
    await Promise.all(
      layer
        .filter((resource) => !spared.has(resource.urn))
        .map((resource) =>
          deployment.work.run(async () => {
            if (!deployment.stop.isUp) await deleteResource(deployment, resource, stepOf(resource));
          }),
        ),
    );
  }
}

/** A destroy runs no program, and so has nobody to run these hooks. */
export function refuseDeleteHooks({ ledger, report, stop }: Deployment): void {
  for (const { urn, hooks } of ledger.all()) {
    const names = [...(hooks?.BeforeDelete ?? []), ...(hooks?.AfterDelete ?? [])];
    if (names.length === 0) continue;
    const message = `Resource has delete hooks registered, but the program is not running. Hooks: ${names.join(", ")}`;
    report.error(message, urn);
    stop.raise("refused");
  }
}

function stepOf(resource: StoredResource): StepOp {
  if (resource.pendingReplacement) return "remove-pending-replace";
  if (resource.external) return resource.pendingDeletion ? "discard-replaced" : "discard";
  return resource.pendingDeletion ? "delete-replaced" : "delete";
}

/** @returns whether it went well */
export async function deleteResource(
  deployment: Deployment,
  resource: StoredResource,
  op: StepOp,
  { pendingReplacement = false } = {},
): Promise<boolean> {
  const { report, ledger } = deployment;
  report.started(op, resource.urn);
  const subject = {
    urn: resource.urn,
    id: resource.id,
    oldInputs: resource.inputs,
    oldOutputs: resource.outputs,
  };
  const bindings = resource.pendingReplacement ? {} : resource.hooks;
  try {
    await deployment.hooks.run("BeforeDelete", bindings, subject);
  } catch (error) {
    report.ended({ op, urn: resource.urn, error: (error as Error).message });
    noteFailure(deployment, resource.urn);
    return false;
  }
  const isReplaced = resource.pendingDeletion || pendingReplacement;
  if (resource.protect && !isReplaced) {
    // the others are deleted nevertheless, so that one run names all that are protected
    report.ended({ op, urn: resource.urn, error: describeProtection(resource.urn) });
    deployment.failed.add(resource.urn);
    return false;
  }
  const exists = resource.custom && !resource.external && !resource.pendingReplacement;
  const end = ledger.begin({ urn: resource.urn, type: "deleting" });
  try {
    const goesAlong = resource.deletedWith !== undefined && deployment.deleted.has(resource.deletedWith);
    if (exists && !resource.retainOnDelete && !goesAlong && !deployment.dryRun) {
      const provider = await deployment.providers.of(resource);
      await withRetries(deployment, { operation: "delete", hooks: bindings, subject }, () =>
        provider.delete(resource),
      );
    }
  } catch (error) {
    report.ended({ op, urn: resource.urn, error: (error as Error).message });
    noteFailure(deployment, resource.urn);
    end();
    return false;
  }
  await deployment.hooks
    .run("AfterDelete", bindings, subject)
    .catch((error: unknown) => noteFailedHook(deployment, resource.urn, error));
  if (pendingReplacement) {
    // it stays, so that an interrupted replacement is known next time
    resource.pendingReplacement = true;
    ledger.save();
  } else ledger.drop(resource);
  end();
  report.ended({ op, urn: resource.urn });
  return true;
}

const describeProtection = (urn: string) =>
  `resource "${urn}" cannot be deleted\nbecause it is protected. To unprotect the resource, either remove the \`protect\` flag from the resource in your Pulumi program and run \`pulumi up\`, or use the command:\n\`pulumi state unprotect '${urn}'\``;

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
  // what something depends on stands before it
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
      `Resource '${urn}' will be destroyed but was not specified in --target list.\nEither include resource in --target list or pass --target-dependents to proceed.`,
      urn,
    );
  }
  deployment.stop.raise("failed");
}

/**
 * Everything in a layer can go at once, after the layers before it. More careful than it need be, as in the real
 * engine (ScheduleDeletes).
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

/** What a failed resource depends on stays. */
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
