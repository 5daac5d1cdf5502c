// Asks the provider what became of the resources of the state. One that can't be read stays as it was, and the
// others are read nevertheless.
import type { StepOp } from "../stack.ts";
import { isIncluded, type Deployment } from "./deployment.ts";
import { finishOutputs } from "./carryOut.ts";
import { applyRules } from "./planning.ts";
import { resetPaths } from "./propertyPath.ts";
import type { StoredResource } from "./stateFile.ts";

export async function refreshAll(deployment: Deployment): Promise<void> {
  const { ledger } = deployment;
  const wanted = ledger.all().filter((resource) => isIncluded(deployment, resource));
  await Promise.all(
    wanted.map((resource) =>
      deployment.work.run(async () => {
        if (!deployment.stop.isUp) await refreshOne(deployment, resource);
      }),
    ),
  );
  const left = new Set(ledger.all().map((resource) => resource.urn));
  ledger.forgetDependenciesOn(new Set(wanted.map(({ urn }) => urn).filter((urn) => !left.has(urn))));
  if (deployment.failed.size > 0) deployment.stop.raise("failed");
}

async function refreshOne(deployment: Deployment, resource: StoredResource): Promise<void> {
  const { report, ledger } = deployment;
  const { urn } = resource;
  // the operation «refresh» names steps by what came of them
  const end = (op: StepOp, diff: string[] = []) =>
    report.ended({ op: deployment.kind === "refresh" ? op : "refresh", urn, diff });
  if (!resource.custom) return end("same");
  report.started("refresh", urn);
  try {
    const provider = await deployment.providers.of(resource);
    const found = await provider.read(resource);
    if (!found.id) {
      ledger.drop(resource);
      return end("delete");
    }
    const fresh = { ...resource, ...found, initErrors: [] };
    finishOutputs(fresh);
    ledger.refresh(resource, fresh);
    // What would an `up` of an unchanged program do now? For display only, but a diff that throws fails the refresh (what was read stays).
    const answer = await provider.diff(fresh, urn, resource.inputs, resource.ignoreChanges);
    const wanted = resetPaths(resource.inputs, fresh.inputs, resource.ignoreChanges);
    const { changed, diff } = applyRules(answer, fresh, wanted, resource);
    end(changed ? "update" : "same", diff);
  } catch (error) {
    report.ended({ op: "refresh", urn, error: (error as Error).message });
    deployment.failed.add(urn);
  }
}
