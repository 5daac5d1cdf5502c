// Delete before replace takes along what can't survive it: dependants that would themselves be replaced because an
// input of theirs may change (step_generator.go, calculateDependentReplacements).
import { dependenciesOf, type Deployment } from "./deployment.ts";
import { Refusal } from "./goal.ts";
import { applyRules } from "./planning.ts";
import type { PropertyMap } from "./propertyValues.ts";
import type { StoredResource } from "./stateFile.ts";
import { unknownValue } from "../stack.ts";

/** In dependency order. */
export async function replacedBecauseOf(
  deployment: Deployment,
  root: StoredResource,
): Promise<StoredResource[]> {
  const replaced = new Set([root.urn]);
  const reached = new Set([root.urn]);
  const cascade: StoredResource[] = [];
  for (const candidate of deployment.ledger.rest()) {
    if (candidate === root || !dependsOn(candidate, reached)) continue;
    reached.add(candidate.urn);
    if (!(await mustGo(deployment, candidate, replaced))) continue;
    if (candidate.protect) refuse(candidate.urn, root.urn);
    replaced.add(candidate.urn);
    if (!deployment.deletedFirst.has(candidate)) cascade.push(candidate);
  }
  return cascade;
}

/** Being a child alone doesn't count. */
const dependsOn = (resource: StoredResource, urns: ReadonlySet<string>) =>
  dependenciesOf({ ...resource, parent: undefined }).some((urn) => urns.has(urn));

async function mustGo(
  deployment: Deployment,
  resource: StoredResource,
  replaced: ReadonlySet<string>,
): Promise<boolean> {
  if (!resource.custom || resource.external) return false;
  if (resource.deletedWith && replaced.has(resource.deletedWith)) return true;
  const inputs: PropertyMap = { ...resource.inputs };
  let affected = false;
  for (const [key, urns] of Object.entries(resource.propertyDependencies)) {
    if (!(key in inputs) || !urns.some((urn) => replaced.has(urn))) continue;
    inputs[key] = unknownValue;
    affected = true;
  }
  if (!affected) return false;
  const provider = await deployment.providers.of(resource);
  const answer = await provider.diff(resource, resource.urn, inputs, resource.ignoreChanges);
  const { replace } = applyRules(answer, { ...resource, initErrors: [] }, inputs, resource);
  return replace;
}

function refuse(urn: string, root: string): never {
  throw new Refusal(
    root,
    `unable to replace resource "${urn}" as part of replacing "${root}" as it is currently marked for protection.`,
  );
}
