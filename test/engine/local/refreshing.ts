// Reads the resources of the state from the provider. One that can't be read stays as it was, and the others are still read.
import type { StepOp } from "../stack.ts";
import { finishOutputs } from "./carryOut.ts";
import { type Deployment, isIncluded } from "./deployment.ts";
import { applyRules } from "./planning.ts";
import { resetPaths } from "./propertyPath.ts";
import { type Provider, ProviderError, type ReadAnswer } from "./provider.ts";
import { isProviderType } from "./providerReference.ts";
import type { StoredResource } from "./stateFile.ts";

export async function refreshAll(deployment: Deployment): Promise<void> {
  const { ledger } = deployment;
  const wanted = ledger.all().filter((resource) => isIncluded(deployment, resource));
  await Promise.all(
    wanted.map((resource) =>
      deployment.work.run(async () => {
        if (!deployment.stop.isRequested) await refreshOne(deployment, resource);
      }),
    ),
  );
  const left = new Set(ledger.all().map((resource) => resource.urn));
  ledger.forgetDependenciesOn(new Set(wanted.map(({ urn }) => urn).filter((urn) => !left.has(urn))));
  if (deployment.failed.size > 0) deployment.stop.request("failed");
}

async function refreshOne(deployment: Deployment, resource: StoredResource): Promise<void> {
  const { report, ledger } = deployment;
  const { urn } = resource;
  // the operation «refresh» names steps by their result
  const end = (op: StepOp, diff: string[] = []) =>
    report.ended({ op: deployment.kind === "refresh" ? op : "refresh", urn, diff });
  if (!resource.custom || isProviderType(resource.type)) return end("same");
  report.started("refresh", urn);
  try {
    const provider = await deployment.providers.of(resource);
    const { id, outputs, inputs, reasons } = await readNow(provider, resource);
    if (reasons.length > 0) {
      const message = `Refreshed resource is in an unhealthy state:\n* ${reasons.join("\n* ")}`;
      report.log({ severity: "warning", message, urn });
    }
    if (!id) {
      ledger.drop(resource);
      return end("delete");
    }
    const fresh = {
      ...resource,
      id,
      outputs: outputs ?? {},
      inputs: inputs ?? resource.inputs,
      initErrors: reasons,
    };
    finishOutputs(fresh);
    ledger.refresh(resource, fresh);
    // What would an `up` of an unchanged program do now? For display only, but a diff that throws fails the refresh (the results
    // of reading stay).
    const answer = await provider.diff(fresh, urn, resource.inputs, resource.ignoreChanges);
    const wanted = resetPaths(resource.inputs, fresh.inputs, resource.ignoreChanges);
    const { changed, diff } = applyRules(answer, fresh, wanted, resource);
    end(changed ? "update" : "same", diff);
  } catch (error) {
    report.ended({ op: "refresh", urn, error: (error as Error).message });
    deployment.failed.add(urn);
  }
}

/** A resource that exists but has drifted is reported, and fails nothing. */
async function readNow(
  provider: Provider,
  resource: StoredResource,
): Promise<ReadAnswer & { reasons: string[] }> {
  try {
    const answer = await provider.read({ ...resource, timeout: resource.customTimeouts?.read ?? 0 });
    return { ...answer, reasons: [] };
  } catch (error) {
    if (!(error instanceof ProviderError) || !error.partial) throw error;
    const { id, outputs, reasons } = error.partial;
    return { id, outputs, inputs: undefined, reasons };
  }
}
