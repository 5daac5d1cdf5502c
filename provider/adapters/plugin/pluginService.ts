import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import { type PluginAttach, PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { ConfigurationSource } from "../../service/configuration";
import { filled } from "../session/rowReporter";
import type { Session } from "../session/session";
import type { AnyLifeCycle } from "../session/storedProperties";
import { answering, InvalidCallError, type PluginCall } from "./calls";
import { checkFailures } from "./checkFailures";
import { FUNCTIONS } from "./functions";
import { receive, send } from "./properties";
import {
  changedSettings,
  checkedArguments,
  checkProviderSettings,
  KEY,
  providerSettings,
} from "./providerConfiguration";
import { type ResourceCalls, resourceCalls } from "./resourceCalls";
import schema from "./schema.json";

export interface PluginParts {
  /** The life cycle of each type. */
  readonly resources: Readonly<Record<string, AnyLifeCycle>>;
  /** Environment variables, read on each access. */
  readonly environment: ConfigurationSource["environment"];
  /** Begins to serve an engine. */
  newEngine(): ServedEngine;
}

/** One engine, and what its operations share. */
export interface ServedEngine {
  readonly session: Session;
  /** Stores the engine's address. */
  connect(address: string): void;
  /** Called when the user stops the run, and when it ends. */
  cancel(): void;
}

/**
 * `pulumirpc.ResourceProvider`, see https://github.com/pulumi/pulumi/blob/master/proto/pulumi/provider.proto. The gRPC server
 * answers all other methods with UNIMPLEMENTED: an engine treats this as a provider without the method.
 */
export function pluginService(parts: PluginParts): UntypedServiceImplementation {
  const { environment } = parts;
  const engines = new Engines(parts);
  const resourceOf = ({ request, peer }: PluginCall<{ getType(): string; getUrn(): string }>) => {
    const type = request.getType() || typeIn(request.getUrn());
    const found = engines.of(peer).resources.get(type);
    if (!found) throw new InvalidCallError(`there is no resource type ${JSON.stringify(type)}`);
    return found;
  };

  return {
    handshake: answering(({ request, peer }: PluginCall<rpc.ProviderHandshakeRequest>) => {
      engines.of(peer).engine.connect(request.getEngineAddress());
      return filled(new rpc.ProviderHandshakeResponse(), { acceptSecrets: true, acceptResources: true });
    }),

    attach: answering(({ request, peer }: PluginCall<PluginAttach>) => {
      engines.attach(peer).engine.connect(request.getAddress());
      return new Empty();
    }),

    getPluginInfo: answering(() => filled(new PluginInfo(), { version: schema.version })),

    getSchema: answering(({ request }: PluginCall<rpc.GetSchemaRequest>) => {
      if (request.getVersion() !== 0) {
        throw new InvalidCallError(`there is no schema of version ${request.getVersion()}`);
      }
      return filled(new rpc.GetSchemaResponse(), { schema: JSON.stringify(schema) });
    }),

    checkConfig: answering(({ request, secrets, peer }: PluginCall<rpc.CheckRequest>) => {
      const { properties: given, secrecy } = receive(request.getNews());
      const name = nameIn(request);
      engines.of(peer).checkedName = name;
      const properties = checkedArguments(name, given, environment);
      const failures = checkProviderSettings(name, properties, environment, secrets);
      return filled(new rpc.CheckResponse(), {
        inputs: send(properties, { secrecy, always: [KEY] }),
        failuresList: checkFailures(failures, properties, secrets, secrecy, KEY),
      });
    }),

    // a changed setting never replaces the provider, and with it its resources: each resource has its base URL as an input
    diffConfig: answering(({ request }: PluginCall<rpc.DiffRequest>) => {
      const before = receive(request.getOldInputs() ?? request.getOlds()).properties;
      const changed = changedSettings(before, receive(request.getNews()).properties);
      const { DIFF_SOME, DIFF_NONE } = rpc.DiffResponse.DiffChanges;
      const changes = changed.length > 0 ? DIFF_SOME : DIFF_NONE;
      return filled(new rpc.DiffResponse(), { changes, diffsList: changed });
    }),

    configure: answering(({ request, peer }: PluginCall<rpc.ConfigureRequest>) => {
      const { properties, secrecy } = receive(request.getArgs());
      const served = engines.of(peer);
      const name = request.getName() ?? served.checkedName ?? "default";
      served.engine.session.configure(providerSettings(name, properties, environment));
      served.hasSecretBaseUrl = secrecy.isAtOrBelow("baseUrl");
      const accepted = { acceptsecrets: true, acceptresources: true, supportspreview: true };
      return filled(new rpc.ConfigureResponse(), accepted);
    }),

    check: answering((call: PluginCall<rpc.CheckRequest>) => resourceOf(call).check(call)),
    diff: answering((call: PluginCall<rpc.DiffRequest>) => resourceOf(call).diff(call)),
    create: answering((call: PluginCall<rpc.CreateRequest>) => resourceOf(call).create(call)),
    read: answering((call: PluginCall<rpc.ReadRequest>) => resourceOf(call).read(call)),
    update: answering((call: PluginCall<rpc.UpdateRequest>) => resourceOf(call).update(call)),
    delete: answering((call: PluginCall<rpc.DeleteRequest>) => resourceOf(call).delete(call)),

    invoke: answering(async ({ request, secrets, traceParent, peer }: PluginCall<rpc.InvokeRequest>) => {
      const { session } = engines.of(peer).engine;
      const token = request.getTok();
      const found = Object.hasOwn(FUNCTIONS, token) ? FUNCTIONS[token] : undefined;
      if (!found) throw new InvalidCallError(`there is no function ${JSON.stringify(token)}`);
      const { properties, secrecy } = receive(request.getArgs());
      const result = await session.operation("invoke", { traceParent }, secrets, (context) =>
        found(context, properties, { secrecy, isPreview: request.getPreview() }),
      );
      return filled(new rpc.InvokeResponse(), { return: send(result, { secrecy, repeats: true }) });
    }),

    cancel: answering(({ peer }: PluginCall<Empty>) => {
      engines.of(peer).engine.cancel();
      return new Empty();
    }),
  };
}

/** An engine, and the calls about its resources. */
interface EngineCalls {
  readonly engine: ServedEngine;
  readonly resources: ReadonlyMap<string, ResourceCalls>;
  /** The name of the provider that was checked last: older engines do not repeat it in Configure. */
  checkedName?: string;
  /** Whether the base URL of the settings is a secret. */
  hasSecretBaseUrl: boolean;
}

/**
 * The engines that this process serves. Usually it is the one that started it. Under `PULUMI_DEBUG_PROVIDERS`, engines of several stacks
 * attach to one process, at the same time: each has its own settings, and cancels only its own operations. Its connection tells
 * whose a call is.
 */
class Engines {
  readonly #parts: PluginParts;
  /** The engine that started this process. */
  readonly #starter: EngineCalls;
  /** By the address of its connection: host and port of the other end. */
  readonly #attached = new Map<string, EngineCalls>();

  constructor(parts: PluginParts) {
    this.#parts = parts;
    this.#starter = this.#serve();
  }

  of(peer: string): EngineCalls {
    return this.#attached.get(peer) ?? this.#starter;
  }

  attach(peer: string): EngineCalls {
    const attached = this.#serve();
    this.#attached.set(peer, attached);
    return attached;
  }

  #serve(): EngineCalls {
    const engine = this.#parts.newEngine();
    const resources = new Map<string, ResourceCalls>();
    const served: EngineCalls = { engine, resources, hasSecretBaseUrl: false };
    for (const [type, lifeCycle] of Object.entries(this.#parts.resources)) {
      resources.set(
        type,
        resourceCalls(lifeCycle, engine.session, () => served.hasSecretBaseUrl),
      );
    }
    return served;
  }
}

/** The type in `urn:pulumi:stack::project::parent$type::name`. */
function typeIn(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}

function nameIn(request: rpc.CheckRequest): string {
  return request.getName() || (request.getUrn().split("::")[3] ?? "");
}
