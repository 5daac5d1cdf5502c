// Decides what becomes of a resource that the program declares: check, diff, and the real engine's rules
// (step_generator.go).
import { dependenciesOf, isIncluded, type Deployment } from "./deployment.ts";
import { Refusal, type Goal } from "./goal.ts";
import { goText } from "./goText.ts";
import type { CheckFailure, Provider, ProviderDiff } from "./provider.ts";
import { parseReference } from "./providers.ts";
import { changedPaths, covers, parsePath, resetPaths } from "./propertyPath.ts";
import { changedKeys, type PropertyMap } from "./propertyValues.ts";
import { replacedBecauseOf } from "./replacementCascade.ts";
import type { StoredResource } from "./stateFile.ts";
import { stackType } from "../urn.ts";

export type Plan =
  | { op: "same"; old: StoredResource; next: StoredResource }
  /** `targets` or `excludes` leave it out. */
  | { op: "untargeted"; old: StoredResource }
  | { op: "skipped create"; next: StoredResource }
  | { op: "create"; next: StoredResource }
  | { op: "update"; old: StoredResource; next: StoredResource; diff: string[] }
  | Replacement;

export interface Replacement {
  op: "replace";
  old: StoredResource;
  next: StoredResource;
  diff: string[];
  /** Deleted before the new one is created, in this order; empty when the old one is deleted at the end. */
  deleteFirst: StoredResource[];
  /** The old one is deleted already, or is about to be. */
  oldIsGone: boolean;
}

export async function planResource(deployment: Deployment, goal: Goal): Promise<Plan> {
  const next = goal.resource;
  if (deployment.declared.has(next.urn)) {
    throw new Refusal(next.urn, `Duplicate resource URN '${next.urn}'; try giving it a unique name`);
  }
  const old = findOld(deployment, goal);
  deployment.declared.set(next.urn, next);

  const included = next.type === stackType || isIncluded(deployment, next);
  if (!included && old) return { op: "untargeted", old };
  if (!included) {
    deployment.skippedCreates.add(next.urn);
    return { op: "skipped create", next };
  }
  const plan = await (next.custom ? planCustom(deployment, goal, old) : planComponent(deployment, old, next));
  if (plan.op === "replace") {
    deployment.replaced.add(next.urn);
    for (const { urn } of plan.deleteFirst) deployment.deleted.add(urn);
  }
  refuseSkippedDependencies(deployment, plan);
  return plan;
}

/** By its URN, else by the first alias that the state knows. */
function findOld({ ledger, declared, aliased }: Deployment, goal: Goal): StoredResource | undefined {
  const { urn } = goal.resource;
  const claimedBy = aliased.get(urn);
  if (claimedBy) {
    throw new Refusal(
      urn,
      `Duplicate resource URN '${urn}' conflicting with alias on resource with URN '${claimedBy}'`,
    );
  }
  const known = [urn, ...goal.aliases].find((candidate) => ledger.existedBefore(candidate));
  if (known === undefined || known === urn) return ledger.previous(urn);
  const other = aliased.get(known) ?? (declared.has(known) ? urn : undefined);
  if (other) {
    throw new Refusal(
      urn,
      `Duplicate resource alias '${known}' applied to resource with URN '${urn}' conflicting with resource with URN '${other}'`,
    );
  }
  aliased.set(known, urn);
  return ledger.previous(known);
}

function planComponent(deployment: Deployment, old: StoredResource | undefined, next: StoredResource): Plan {
  if (!old) return { op: "create", next };
  if (isAskedFor(deployment, next) || goesAlong(deployment, next)) {
    return { op: "replace", old, next, diff: [], deleteFirst: [], oldIsGone: false };
  }
  const diff = changedKeys(old.inputs, next.inputs);
  return diff.length === 0 ? { op: "same", old, next } : { op: "update", old, next, diff };
}

async function planCustom(
  deployment: Deployment,
  goal: Goal,
  old: StoredResource | undefined,
): Promise<Plan> {
  const next = goal.resource;
  const provider = await deployment.providers.of(next);
  const declared = next.inputs;

  const isRecreated = old !== undefined && deployment.deletedFirst.has(old);
  if (!old || isRecreated || old.external) {
    next.inputs = await check(provider, goal, {}, declared);
    if (!old) return { op: "create", next };
    return { op: "replace", old, next, diff: [], deleteFirst: [], oldIsGone: isRecreated };
  }

  const isAsked = isAskedFor(deployment, next); // its check knows no old one
  const ignoring = resetPaths(declared, isAsked ? {} : old.inputs, isAsked ? [] : next.ignoreChanges);
  warnImpossible(deployment, next.urn, ignoring.impossible);
  next.inputs = await check(provider, goal, isAsked ? {} : old.inputs, ignoring.inputs);

  const { changed, replace, deleteBeforeReplace, diff } =
    isAsked || goesAlong(deployment, next) ? replacedUnseen : await compare(deployment, provider, old, next);
  if (!(changed && replace) && !old.pendingReplacement) {
    // what an earlier attempt left unfinished is tried again, whatever the provider says
    if (changed || old.initErrors.length > 0) return { op: "update", old, next, diff };
    return { op: "same", old, next };
  }
  if (old.protect && next.protect) refuseReplacement(deployment, next.urn);
  if (!isAsked) next.inputs = await check(provider, goal, {}, declared); // its defaults don't carry over
  const first = goal.deleteBeforeReplace ?? deleteBeforeReplace;
  if (!first) return { op: "replace", old, next, diff, deleteFirst: [], oldIsGone: old.pendingReplacement };
  const dependents = await replacedBecauseOf(deployment, old);
  for (const dependent of dependents) deployment.deletedFirst.add(dependent);
  const deleteFirst = [...dependents.reverse(), ...(old.pendingReplacement ? [] : [old])];
  return { op: "replace", old, next, diff, deleteFirst, oldIsGone: true };
}

async function check(
  provider: Provider,
  goal: Goal,
  olds: PropertyMap,
  news: PropertyMap,
): Promise<PropertyMap> {
  const { urn, type } = goal.resource;
  const { inputs, failures } = await provider.check(urn, olds, news);
  if (failures.length === 0) return inputs;
  const describe = ({ property, reason }: CheckFailure) =>
    property
      ? `${type} resource '${goal.name}': property ${property} value ${goText(news[property] ?? null)} has a problem: ${reason}`
      : `${type} resource '${goal.name}' has a problem: ${reason}`;
  throw new Refusal(urn, ...failures.map(describe));
}

interface Comparison {
  changed: boolean;
  replace: boolean;
  deleteBeforeReplace: boolean;
  diff: string[];
}

/** To be replaced, changed or not. */
const isAskedFor = ({ options }: Deployment, { urn }: StoredResource): boolean =>
  options.replaces?.includes(urn) ?? false;

/** What it is deleted with is replaced. */
const goesAlong = ({ replaced }: Deployment, { deletedWith }: StoredResource): boolean =>
  deletedWith !== undefined && replaced.has(deletedWith);

/** Nobody is asked what differs. */
const replacedUnseen: Comparison = { changed: true, replace: true, deleteBeforeReplace: false, diff: [] };

async function compare(
  deployment: Deployment,
  provider: Provider,
  old: StoredResource,
  next: StoredResource,
): Promise<Comparison> {
  const before = deployment.providersBefore.get(old.provider ? parseReference(old.provider).urn : "");
  if (deployment.providers.needsReplacement(old, next, before)) {
    return { changed: true, replace: true, deleteBeforeReplace: false, diff: ["provider"] };
  }
  const answer = await provider.diff(old, next.urn, next.inputs, next.ignoreChanges);
  return applyRules(answer, old, resetPaths(next.inputs, old.inputs, next.ignoreChanges).inputs, next);
}

/** What the engine makes of a provider's diff: its own comparison where the provider leaves it open, replaceOnChanges. */
export function applyRules(
  answer: ProviderDiff,
  old: StoredResource,
  news: PropertyMap,
  options: Pick<StoredResource, "replaceOnChanges">,
): Comparison {
  const patterns = options.replaceOnChanges.map(parsePath);
  const paths = answer.changes === undefined ? changedPaths(old.inputs, news) : (answer.paths ?? []);
  const changed = answer.changes ?? paths.length > 0;
  const matches = paths.some((path) => patterns.some((pattern) => covers(pattern, path)));
  const replaceUnfinished =
    old.initErrors.length > 0 && patterns.some((pattern) => covers(pattern, ["#initerror"]));
  return {
    changed: changed || replaceUnfinished,
    replace: answer.replaces.length > 0 || matches || replaceUnfinished,
    deleteBeforeReplace: answer.deleteBeforeReplace,
    diff: [...new Set(paths.map(([key]) => String(key)))],
  };
}

function warnImpossible(deployment: Deployment, urn: string, paths: string[]): void {
  if (paths.length === 0) return;
  const message = `cannot ignore changes in added or removed elements of the path: "${paths.join(", ")}"`;
  deployment.report.log({ message, urn });
}

function refuseReplacement(deployment: Deployment, urn: string): void {
  const message = `unable to replace resource "${urn}"\nas it is currently marked for protection. To unprotect the resource, remove the \`protect\` flag from the resource in your Pulumi program and run \`pulumi up\``;
  if (!deployment.dryRun) throw new Refusal(urn, message);
  deployment.report.error(message, urn); // a preview goes on, to show what is to change
  deployment.failed.add(urn);
}

function refuseSkippedDependencies(deployment: Deployment, plan: Plan): void {
  if (plan.op === "same" || plan.op === "untargeted" || plan.op === "skipped create") return;
  const { urn } = plan.next;
  const missing = [...new Set(dependenciesOf(plan.next))].filter((dependency) =>
    deployment.skippedCreates.has(dependency),
  );
  if (missing.length === 0) return;
  const { targets, replaces } = deployment.options;
  if (!targets && !replaces) {
    const what = `what depends on ${missing.join(", ")}, which excludes keep from being made`;
    throw new Refusal(urn, `not supported by the test engine: ${what}`);
  }
  const messages = missing.map(
    (dependency) =>
      `Resource '${urn}' depends on '${dependency}' which was was not specified in --target list.`,
  );
  if (!deployment.dryRun) throw new Refusal(urn, ...messages);
  for (const message of messages) deployment.report.error(message, urn);
  deployment.failed.add(urn);
}
