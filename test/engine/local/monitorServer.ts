// The two services that the program and the provider call: ResourceMonitor and Engine, on one loopback port. gRPC answers other
// methods as UNIMPLEMENTED: the SDK tolerates it or reports clearly what is missing.
import type { handleUnaryCall, UntypedServiceImplementation } from "@grpc/grpc-js";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb.js";
import type {
  ReadResourceRequest,
  RegisterErrorHookRequest,
  RegisterResourceHookRequest,
  RegisterResourceOutputsRequest,
  RegisterResourceRequest,
  ResourceInvokeRequest,
  SupportsFeatureRequest,
} from "@pulumi/pulumi/proto/resource_pb.js";
import type { LogLine } from "../stack.ts";
import type { Invoked } from "./invoking.ts";
import { fromStruct, type PropertyMap, toStruct } from "./propertyValues.ts";
import {
  Empty,
  engineProto,
  engineService,
  grpc,
  messageLimits,
  providerProto,
  resourceProto,
  resourceService,
} from "./wire.ts";

export interface RegisteredResource {
  urn: string;
  id?: string | undefined;
  outputs: PropertyMap;
  result: "success" | "failed" | "skipped";
  /** Left out by `targets`: its outputs are unknown. */
  unknown?: boolean;
}

export interface MonitorHandlers {
  log(line: LogLine): void;
  registerResource(request: RegisterResourceRequest): Promise<RegisteredResource>;
  readResource(request: ReadResourceRequest): Promise<RegisteredResource>;
  invoke(request: ResourceInvokeRequest): Promise<Invoked>;
  registerOutputs(urn: string, outputs: PropertyMap): Promise<void>;
  registerHook(request: RegisterResourceHookRequest): void;
  registerErrorHook(request: RegisterErrorHookRequest): void;
  /** The program has declared all its resources. @returns when it may end: until then it serves its hooks */
  declaredAll(): Promise<void>;
}

/** The SDK ends a program quietly on this answer, as when the real engine closes the connection. */
export class MonitorDown extends Error {
  readonly code = grpc.status.UNAVAILABLE;

  constructor() {
    super("resource monitor shut down");
  }
}

export interface MonitorServer {
  address: string;
  close(): void;
}

export async function startMonitorServer(handlers: MonitorHandlers): Promise<MonitorServer> {
  const server = new grpc.Server(messageLimits);
  server.addService(engineService.EngineService, engineMethods(handlers));
  server.addService(resourceService.ResourceMonitorService, monitorMethods(handlers));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error);
      else resolve(bound);
    });
  });
  return { address: `127.0.0.1:${port}`, close: () => server.forceShutdown() };
}

const severities = {
  [engineProto.LogSeverity.INFO]: "info",
  [engineProto.LogSeverity.WARNING]: "warning",
  [engineProto.LogSeverity.ERROR]: "error",
} as const;

const engineMethods = (handlers: MonitorHandlers): UntypedServiceImplementation => ({
  log: unary((request: LogRequest) => {
    const urn = request.getUrn();
    const severity = request.getSeverity();
    if (severity === engineProto.LogSeverity.DEBUG) return new Empty();
    handlers.log({
      severity: severities[severity],
      message: request.getMessage().trimEnd(),
      ...(urn && { urn }),
      streamId: request.getStreamid(),
      ephemeral: request.getEphemeral(),
    });
    return new Empty();
  }),
  setRootResource: unary(() => new engineProto.SetRootResourceResponse()),
  getRootResource: unary(() => new engineProto.GetRootResourceResponse()),
});

const features = resourceProto.ResourceMonitorFeature;
const supportedFeatures = {
  secrets: features.RESOURCE_MONITOR_FEATURE_SECRETS,
  aliasSpecs: features.RESOURCE_MONITOR_FEATURE_ALIAS_SPECS,
  deletedWith: features.RESOURCE_MONITOR_FEATURE_DELETED_WITH,
  resourceHooks: features.RESOURCE_MONITOR_FEATURE_RESOURCE_HOOKS,
  transforms: features.RESOURCE_MONITOR_FEATURE_TRANSFORMS,
  errorHooks: features.RESOURCE_MONITOR_FEATURE_ERROR_HOOKS,
};

const monitorMethods = (handlers: MonitorHandlers): UntypedServiceImplementation => ({
  getDeploymentInfo: unary(() => {
    const info = new resourceProto.DeploymentInfo();
    info.setSupportedfeaturesList(Object.values(supportedFeatures));
    return info;
  }),
  supportsFeature: unary((request: SupportsFeatureRequest) => {
    const response = new resourceProto.SupportsFeatureResponse();
    response.setHassupport(request.getId() in supportedFeatures);
    return response;
  }),
  registerResource: unary(async (request: RegisterResourceRequest) => {
    const registered = await handlers.registerResource(request);
    const response = new resourceProto.RegisterResourceResponse();
    response.setUrn(registered.urn);
    response.setId(registered.id ?? "");
    response.setObject(toStruct(registered.outputs));
    response.setUnknown(registered.unknown ?? false);
    response.setResult(results[registered.result]);
    return response;
  }),
  readResource: unary(async (request: ReadResourceRequest) => {
    const read = await handlers.readResource(request);
    const response = new resourceProto.ReadResourceResponse();
    response.setUrn(read.urn);
    response.setProperties(toStruct(read.outputs));
    response.setResult(results[read.result]);
    return response;
  }),
  invoke: unary(async (request: ResourceInvokeRequest) => {
    const { result, failures } = await handlers.invoke(request);
    const response = new resourceProto.ResourceInvokeResponse();
    response.setReturn(toStruct(result));
    response.setFailuresList(
      failures.map(({ property, reason }) => {
        const failure = new providerProto.CheckFailure();
        failure.setProperty(property);
        failure.setReason(reason);
        return failure;
      }),
    );
    return response;
  }),
  registerResourceOutputs: unary(async (request: RegisterResourceOutputsRequest) => {
    await handlers.registerOutputs(request.getUrn(), fromStruct(request.getOutputs()));
    return new Empty();
  }),
  registerResourceHook: unary((request: RegisterResourceHookRequest) => {
    handlers.registerHook(request);
    return new Empty();
  }),
  registerErrorHook: unary((request: RegisterErrorHookRequest) => {
    handlers.registerErrorHook(request);
    return new Empty();
  }),
  registerStackTransform: unary(() => {
    const message = "not supported by the test engine: transforms of the stack";
    handlers.log({ severity: "error", message, streamId: 0, ephemeral: false }); // the SDK drops the message
    throw new Error(message);
  }),
  signalAndWaitForShutdown: unary(async () => {
    await handlers.declaredAll();
    return new Empty();
  }),
});

/** The SDK treats «failed» and «skipped» alike; its copy of the protocol lacks the latter. */
const results = {
  success: resourceProto.Result.SUCCESS,
  failed: resourceProto.Result.FAIL,
  skipped: resourceProto.Result.FAIL,
};

function unary<Request, Response>(
  answer: (request: Request) => Response | Promise<Response>,
): handleUnaryCall<Request, Response> {
  return (call, done) => {
    Promise.resolve()
      .then(() => answer(call.request))
      .then(
        (response) => done(null, response),
        (error: unknown) => {
          const code = error instanceof MonitorDown ? error.code : grpc.status.UNKNOWN;
          done({ code, message: error instanceof Error ? error.message : String(error) });
        },
      );
  };
}
