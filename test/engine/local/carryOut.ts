// Executes the plan of a resource, and records the result.
import type { StepOp } from "../stack.ts";
import { deleteResource } from "./deletion.ts";
import { type Deployment, noteFailedHook, noteFailure } from "./deployment.ts";
import type { HookSubject } from "./hooks.ts";
import type { RegisteredResource } from "./monitorServer.ts";
import type { Plan, Replacement } from "./planning.ts";
import { isSecret, markSecret, type PropertyMap, secretKeys } from "./propertyValues.ts";
import { ProviderError, type ProviderState } from "./provider.ts";
import { isProviderType } from "./providerReference.ts";
import { withRetries } from "./retries.ts";
import type { StoredResource } from "./stateFile.ts";

export async function carryOut(deployment: Deployment, plan: Plan): Promise<RegisteredResource> {
  const { report, ledger } = deployment;
  switch (plan.op) {
    case "same": {
      const { old, next } = plan;
      next.id = old.id;
      next.outputs = old.outputs;
      finishOutputs(next);
      if (isProviderType(next.type)) await deployment.providers.explicit.same(next);
      ledger.settle(next, old);
      if (!plan.isImported) report.ended({ op: "same", urn: next.urn });
      return registered(next);
    }
    case "untargeted":
      ledger.settle(plan.old, plan.old);
      report.ended({ op: "same", urn: plan.old.urn });
      return registered(plan.old);
    case "skipped create":
      report.ended({ op: "same", urn: plan.next.urn });
      return { urn: plan.next.urn, outputs: {}, result: "success", unknown: true };
    case "create":
      return make(deployment, { op: "create", next: plan.next, diff: [] });
    case "update":
      return make(deployment, plan);
    case "replace":
      return replace(deployment, plan);
  }
}

async function replace(deployment: Deployment, plan: Replacement): Promise<RegisteredResource> {
  const { next, old, diff, deleteFirst } = plan;
  const replaced = { op: "replace", urn: next.urn, diff } as const;
  if (deleteFirst) {
    deployment.deleted.add(old.urn);
    if (!(await deleteResource(deployment, old, "delete-replaced"))) return failed(deployment, next);
    deployment.report.ended(replaced);
  }
  const result = await make(deployment, { op: "create-replacement", next, old, diff, keepOld: !deleteFirst });
  if (!deleteFirst && result.result === "success") deployment.report.ended(replaced);
  return result;
}

interface Making {
  op: StepOp;
  next: StoredResource;
  old?: StoredResource;
  diff: string[];
  /** It is deleted at the end of the operation. */
  keepOld?: boolean;
}

/** Creates or updates. A partial failure is recorded like a success, with the reasons for next time. */
async function make(deployment: Deployment, making: Making): Promise<RegisteredResource> {
  const { op, next } = making;
  const { report, ledger } = deployment;
  report.started(op, next.urn);
  const end = ledger.begin({ urn: next.urn, type: op === "update" ? "updating" : "creating" });
  try {
    return await makeOrFail(deployment, making);
  } finally {
    end();
  }
}

async function makeOrFail(deployment: Deployment, making: Making): Promise<RegisteredResource> {
  const { op, next, old, diff } = making;
  const { report, ledger } = deployment;
  let partial: ProviderError | undefined;
  try {
    const state = await callProvider(deployment, making);
    next.id = state?.id;
    next.outputs = state?.outputs ?? {};
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    report.ended({ op, urn: next.urn, error: error.message, diff });
    if (!error.partial) return failed(deployment, next);
    partial = error;
    next.id = error.partial.id;
    next.outputs = error.partial.outputs;
    next.initErrors = error.partial.reasons;
    // The existing resource wasn't made from the new inputs (the real engine's OnResourceStepPost): the next diff must see them.
    if (op === "update" && old) next.inputs = old.inputs;
  }
  if (!partial) await runAfterHooks(deployment, making);

  finishOutputs(next);
  if (making.keepOld && old) {
    old.pendingDeletion = true;
    ledger.settle(next);
  } else ledger.settle(next, old);
  if (partial) return failed(deployment, next);
  report.ended({ op, urn: next.urn, diff });
  return registered(next);
}

const isUpdate = ({ op, old }: Making): boolean => op === "update" && old !== undefined;

const subjectOf = (making: Making): HookSubject => ({
  urn: making.next.urn,
  newInputs: making.next.inputs,
  ...(isUpdate(making) && {
    id: making.old?.id,
    oldInputs: making.old?.inputs,
    oldOutputs: making.old?.outputs,
  }),
});

/** Those of a component wait for its outputs. */
async function runAfterHooks(deployment: Deployment, making: Making): Promise<void> {
  const { next } = making;
  const type = isUpdate(making) ? "AfterUpdate" : "AfterCreate";
  const subject = subjectOf(making);
  const finish = (newOutputs: PropertyMap) =>
    deployment.hooks
      .run(type, next.hooks, { ...subject, id: next.id, newOutputs })
      .catch((error: unknown) => noteFailedHook(deployment, next.urn, error));
  if (next.custom) await finish(next.outputs);
  else deployment.unfinishedComponents.set(next.urn, finish);
}

async function callProvider(
  deployment: Deployment,
  making: Making,
): Promise<Partial<ProviderState> | undefined> {
  const { next, old } = making;
  if (!next.custom) return old && { outputs: old.outputs };
  const provider = await deployment.providers.of(next);
  // Previews call no provider that lacks them: everything but the inputs is unknown to the SDK.
  if (deployment.dryRun && !provider.supportsPreview) {
    return { ...(isUpdate(making) && old?.id && { id: old.id }), outputs: next.inputs };
  }
  const operation = isUpdate(making) ? "update" : "create";
  const how = { preview: deployment.dryRun, timeout: next.customTimeouts?.[operation] ?? 0 };
  return withRetries(deployment, { operation, hooks: next.hooks, subject: subjectOf(making) }, () =>
    (operation === "update" && old
      ? provider.update(old, next.urn, next.inputs, how)
      : provider.create(next.urn, next.inputs, how)
    ).catch((error: unknown) => {
      // kept even if a later attempt succeeds, so that the next operation tries once more
      if (error instanceof ProviderError && error.partial) next.initErrors = error.partial.reasons;
      throw error;
    }),
  );
}

/** Marks values that the program declared as secret, and values whose name is that of a secret input. */
export function finishOutputs(resource: StoredResource): void {
  const secretInputs = secretKeys(resource.inputs).filter((key) => isSecret(resource.inputs[key]));
  resource.outputs = markSecret(resource.outputs, [...resource.additionalSecretOutputs, ...secretInputs]);
}

const registered = ({ urn, id, outputs }: StoredResource): RegisteredResource => ({
  urn,
  id,
  outputs,
  result: "success",
});

function failed(deployment: Deployment, resource: StoredResource): RegisteredResource {
  noteFailure(deployment, resource.urn);
  return { urn: resource.urn, outputs: {}, result: "failed" };
}
