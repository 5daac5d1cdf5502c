// The handling of a resource that the program declares.
import type { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb.js";
import { carryOut } from "./carryOut.ts";
import { dependenciesOf, type Deployment } from "./deployment.ts";
import { readGoal, Refusal } from "./goal.ts";
import { MonitorDown, type RegisteredResource } from "./monitorServer.ts";
import { type Plan, planResource } from "./planning.ts";

export async function registerResource(
  deployment: Deployment,
  request: RegisterResourceRequest,
): Promise<RegisteredResource> {
  inheritFromParent(deployment, request);
  const plan = await planOrStop(deployment, request);
  const resource = plan.op === "untargeted" ? plan.old : plan.next;
  if (dependenciesOf(resource).some((urn) => deployment.failed.has(urn))) {
    deployment.failed.add(resource.urn);
    return { urn: resource.urn, outputs: {}, result: "skipped" };
  }
  const result = await deployment.work.run(() => {
    if (deployment.stop.isRequested) throw new MonitorDown();
    return carryOut(deployment, plan);
  });
  if (deployment.stop.isRequested) throw new MonitorDown();
  return result;
}

/** Options that a child inherits (source_eval.go). */
function inheritFromParent({ declared }: Deployment, request: RegisterResourceRequest): void {
  const parent = declared.get(request.getParent());
  if (!parent) return;
  if (!request.getDeletedwith()) request.setDeletedwith(parent.deletedWith ?? "");
  if (!request.hasProtect() && parent.protect) request.setProtect(true);
  if (!request.hasRetainondelete() && parent.retainOnDelete) request.setRetainondelete(true);
}

/** Any error before there is a plan ends the operation, regardless of `continueOnError`. */
async function planOrStop(deployment: Deployment, request: RegisterResourceRequest): Promise<Plan> {
  return deployment.planning.run(async () => {
    if (deployment.stop.isRequested) throw new MonitorDown();
    let urn: string | undefined;
    try {
      const goal = readGoal(request, deployment);
      urn = goal.resource.urn;
      return await planResource(deployment, goal);
    } catch (error) {
      reportRefusal(deployment, error, urn);
      throw new MonitorDown();
    }
  });
}

export function reportRefusal(deployment: Deployment, error: unknown, urn?: string): void {
  if (error instanceof Refusal) {
    for (const message of error.messages) deployment.report.error(message, error.urn);
  } else deployment.report.error(error instanceof Error ? error.message : String(error), urn);
  deployment.stop.request("refused");
}
