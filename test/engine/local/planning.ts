// Decides what happens to a resource that the program declares: check, diff, and the real engine's rules (step_generator.go).
import { stackType } from "../urn.ts";
import { describeFailures } from "./checkFailures.ts";
import { dependenciesOf, type Deployment, isIncluded } from "./deployment.ts";
import { type Goal, Refusal } from "./goal.ts";
import { importDeclared } from "./importing.ts";
import { resetPaths } from "./propertyPath.ts";
import { changedKeys, type PropertyMap } from "./propertyValues.ts";
import type { Provider, ProviderDiff } from "./provider.ts";
import { isProviderType } from "./providerReference.ts";
import type { StoredResource } from "./stateFile.ts";

export type Plan =
  | { op: "same"; old: StoredResource; next: StoredResource; isImported?: boolean }
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
  /** Else the old one is deleted at the end. */
  deleteFirst: boolean;
}

export async function planResource(deployment: Deployment, goal: Goal): Promise<Plan> {
  const next = goal.resource;
  if (deployment.declared.has(next.urn)) {
    throw new Refusal(next.urn, `Duplicate resource URN '${next.urn}'; try giving it a unique name`);
  }
  const old = findOld(deployment, goal);
  deployment.declared.set(next.urn, next);

  const included = next.type === stackType || isProviderType(next.type) || isIncluded(deployment, next);
  if (!included && old) return { op: "untargeted", old };
  if (!included) {
    deployment.skippedCreates.add(next.urn);
    return { op: "skipped create", next };
  }
  const imported = await importDeclared(deployment, goal, old);
  const plan = await (next.custom
    ? planCustom(deployment, goal, imported ?? old)
    : planComponent(deployment, old, next));
  if (imported && plan.op === "same") plan.isImported = true;
  if (plan.op === "replace") deployment.replaced.add(next.urn);
  refuseSkippedDependencies(deployment, plan);
  return plan;
}

/** By its URN, else by its first alias in the state. */
function findOld({ ledger, declared, aliased }: Deployment, goal: Goal): StoredResource | undefined {
  const { urn } = goal.resource;
  const known = [urn, ...goal.aliases].find((candidate) => ledger.existedBefore(candidate));
  const isOther = known !== undefined && known !== urn;
  if (aliased.has(urn) || (isOther && (aliased.has(known) || declared.has(known)))) {
    throw new Refusal(urn, `Duplicate resource URN '${urn}': another resource has it by an alias`);
  }
  if (!isOther) return ledger.previous(urn);
  aliased.set(known, urn);
  return ledger.previous(known);
}

function planComponent(deployment: Deployment, old: StoredResource | undefined, next: StoredResource): Plan {
  if (!old) return { op: "create", next };
  if (isAskedFor(deployment, next, old) || goesAlong(deployment, next)) {
    return { op: "replace", old, next, diff: [], deleteFirst: false };
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

  if (!old) {
    next.inputs = await check(provider, goal, {}, declared);
    return { op: "create", next };
  }
  if (old.external) {
    throw new Refusal(next.urn, "not supported by the test engine: to manage what was only read");
  }

  const isAsked = isAskedFor(deployment, next, old); // its check gets no old one
  const ignoring = isAsked ? declared : resetPaths(declared, old.inputs, next.ignoreChanges);
  next.inputs = await check(provider, goal, isAsked ? {} : old.inputs, ignoring);

  const { changed, replace, deleteBeforeReplace, diff } =
    isAsked || goesAlong(deployment, next) ? replacedUnseen : await compare(deployment, provider, old, next);
  if (!changed || !replace) {
    // an unfinished earlier attempt is tried again, regardless of the provider's answer
    if (changed || old.initErrors.length > 0) return { op: "update", old, next, diff };
    return { op: "same", old, next };
  }
  if (old.protect && next.protect) refuseReplacement(deployment, next.urn);
  if (!isAsked) next.inputs = await check(provider, goal, {}, declared); // its defaults are not carried over
  const deleteFirst = goal.deleteBeforeReplace ?? deleteBeforeReplace;
  if (deleteFirst) refuseDependants(deployment, old);
  return { op: "replace", old, next, diff, deleteFirst };
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
  throw new Refusal(urn, ...describeFailures({ type, name: goal.name, inputs: news }, failures));
}

interface Comparison {
  changed: boolean;
  replace: boolean;
  deleteBeforeReplace: boolean;
  diff: string[];
}

/** To be replaced, changed or not. */
const isAskedFor = ({ options }: Deployment, { urn }: StoredResource, old: StoredResource): boolean =>
  options.replaces?.includes(urn) === true || old.taint === true;

/** The resource of its `deletedWith` is replaced. */
const goesAlong = ({ replaced }: Deployment, { deletedWith }: StoredResource): boolean =>
  deletedWith !== undefined && replaced.has(deletedWith);

/** The provider is not called for a diff. */
const replacedUnseen: Comparison = { changed: true, replace: true, deleteBeforeReplace: false, diff: [] };

async function compare(
  { providers, aliased, report }: Deployment,
  provider: Provider,
  old: StoredResource,
  next: StoredResource,
): Promise<Comparison> {
  if (await providers.demandsReplacement(old, next, aliased)) {
    return { ...replacedUnseen, diff: ["provider"] };
  }
  const answer = await provider.diff(old, next.urn, next.inputs, next.ignoreChanges);
  if (answer.warning !== undefined) {
    report.log({ severity: "warning", message: answer.warning, urn: next.urn });
  }
  return applyRules(answer, old, resetPaths(next.inputs, old.inputs, next.ignoreChanges), next);
}

/**
 * The engine's interpretation of a provider's diff: its own comparison where the provider leaves it open, and replaceOnChanges.
 */
export function applyRules(
  answer: ProviderDiff,
  old: StoredResource,
  news: PropertyMap,
  { replaceOnChanges }: Pick<StoredResource, "replaceOnChanges">,
): Comparison {
  const diff = answer.changes === undefined ? changedKeys(old.inputs, news) : (answer.diffs ?? []);
  return {
    changed: answer.changes ?? diff.length > 0,
    replace: answer.replaces.length > 0 || diff.some((key) => replaceOnChanges.includes(key)),
    deleteBeforeReplace: answer.deleteBeforeReplace,
    diff,
  };
}

/** The real engine deletes some of them first, too. */
function refuseDependants({ ledger }: Deployment, { urn }: StoredResource): void {
  const dependants = ledger.all().filter((each) => each.parent !== urn && dependenciesOf(each).includes(urn));
  if (dependants.length === 0) return;
  throw new Refusal(urn, "not supported by the test engine: deleteBeforeReplace of what others depend on");
}

function refuseReplacement(deployment: Deployment, urn: string): void {
  const message = `unable to replace resource "${urn}"\nas it is currently marked for protection.`;
  if (!deployment.dryRun) throw new Refusal(urn, message);
  deployment.report.error(message, urn); // a preview continues, to show the changes
  deployment.failed.add(urn);
}

function refuseSkippedDependencies({ skippedCreates }: Deployment, plan: Plan): void {
  if (plan.op === "same" || plan.op === "untargeted" || plan.op === "skipped create") return;
  const missing = dependenciesOf(plan.next).filter((dependency) => skippedCreates.has(dependency));
  if (missing.length === 0) return;
  const what = `what depends on ${missing.join(", ")}, which is left out and not there`;
  throw new Refusal(plan.next.urn, `not supported by the test engine: ${what}`);
}
