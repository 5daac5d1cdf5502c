// A function of a plugin's that the program calls (source_eval.go, Invoke).
import type { ResourceInvokeRequest } from "@pulumi/pulumi/proto/resource_pb.js";
import type { Deployment } from "./deployment.ts";
import { Refusal } from "./goal.ts";
import { fromStruct, type PropertyMap } from "./propertyValues.ts";
import type { CheckFailure } from "./provider.ts";
import { packageOf } from "./providerReference.ts";
import { reportRefusal } from "./registration.ts";

export interface Invoked {
  result: PropertyMap;
  failures: CheckFailure[];
}

export async function invokeFunction(
  deployment: Deployment,
  request: ResourceInvokeRequest,
): Promise<Invoked> {
  const { providers, dryRun } = deployment;
  const token = request.getTok();
  providers.useVersion(packageOf(token), request.getVersion());
  try {
    const plugin = await providers.plugin(packageOf(token), request.getProvider() || undefined);
    return await plugin.invoke(token, fromStruct(request.getArgs()), dryRun);
  } catch (error) {
    // a default provider that was refused: its messages are the engine's own
    if (error instanceof Refusal) reportRefusal(deployment, error);
    throw error;
  }
}
