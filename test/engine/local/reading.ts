// `.get`: a resource that the program reads without managing it.
import type { ReadResourceRequest } from "@pulumi/pulumi/proto/resource_pb.js";
import { unknownValue } from "../stack.ts";
import { createUrn } from "../urn.ts";
import { finishOutputs } from "./carryOut.ts";
import { type Deployment, noteFailure } from "./deployment.ts";
import { Refusal } from "./goal.ts";
import { helmReleaseType } from "./kubernetes/helmRelease.ts";
import { namespaceType } from "./kubernetes/namespace.ts";
import { MonitorDown, type RegisteredResource } from "./monitorServer.ts";
import { changedKeys, fromStruct } from "./propertyValues.ts";
import { ProviderError } from "./provider.ts";
import { packageOf } from "./providerReference.ts";
import { dynamicTypePrefix } from "./providers.ts";
import { reportRefusal } from "./registration.ts";
import type { StoredResource } from "./stateFile.ts";

export async function readResource(
  deployment: Deployment,
  request: ReadResourceRequest,
): Promise<RegisteredResource> {
  const { report, ledger } = deployment;
  if (deployment.stop.isRequested) throw new MonitorDown();
  const next = describe(deployment, request);
  const old = ledger.previous(next.urn);
  try {
    refuseUnsupported(deployment, request, next.urn);
    if (deployment.declared.has(next.urn)) {
      throw new Refusal(next.urn, `Duplicate resource URN '${next.urn}'; try giving it a unique name`);
    }
    if (old && !old.external) {
      throw new Refusal(next.urn, "not supported by the test engine: to only read what was managed");
    }
  } catch (error) {
    reportRefusal(deployment, error);
    throw new MonitorDown();
  }
  deployment.providers.useVersion(packageOf(next.type), request.getVersion());
  deployment.declared.set(next.urn, next);
  return deployment.work.run(async () => {
    report.started("read", next.urn);
    const end = ledger.begin({ urn: next.urn, type: "reading" });
    try {
      if (next.id !== unknownValue) {
        const provider = await deployment.providers.of(next);
        const timeout = next.customTimeouts?.read ?? 0;
        const found = await provider.read({ ...next, outputs: next.inputs, timeout });
        // The dynamic host always returns outputs: a missing resource counts as one without outputs.
        if (!found.outputs) throw new ProviderError(`resource '${next.id ?? ""}' does not exist`);
        if (found.id) next.id = found.id;
        next.outputs = found.outputs;
      }
    } catch (error) {
      report.ended({ op: "read", urn: next.urn, error: (error as Error).message });
      noteFailure(deployment, next.urn);
      end();
      if (deployment.stop.isRequested) throw new MonitorDown();
      return { urn: next.urn, outputs: {}, result: "failed" };
    }
    finishOutputs(next);
    ledger.settle(next, old);
    end();
    const isNews = !old || changedKeys(old.outputs, next.outputs).length > 0;
    report.ended({ op: "read", urn: next.urn }, isNews);
    return { urn: next.urn, id: next.id, outputs: next.outputs, result: "success" };
  });
}

function describe(deployment: Deployment, request: ReadResourceRequest): StoredResource {
  const type = request.getType();
  const parent = request.getParent() || undefined;
  return {
    urn: createUrn(deployment.stack, deployment.project, type, request.getName(), parent),
    type,
    custom: true,
    id: request.getId(),
    inputs: fromStruct(request.getProperties()),
    outputs: {},
    ...(parent && { parent }),
    ...(request.getProvider() && { provider: request.getProvider() }),
    dependencies: request.getDependenciesList(),
    propertyDependencies: {},
    additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
    ignoreChanges: [],
    replaceOnChanges: [],
    initErrors: [],
    protect: false,
    retainOnDelete: false,
    external: true,
    pendingDeletion: false,
  };
}

function refuseUnsupported({ providers }: Deployment, request: ReadResourceRequest, urn: string): void {
  const type = request.getType();
  if (providers.whyNot(type) !== undefined || [helmReleaseType, namespaceType].includes(type)) {
    throw new Refusal(urn, `not supported by the test engine: reading resources of type ${type}`);
  }
  if (request.getProvider() && type.startsWith(dynamicTypePrefix)) {
    throw new Refusal(urn, "not supported by the test engine: explicit providers");
  }
}
