import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { PluginInfo, type PluginAttach } from "@pulumi/pulumi/proto/plugin_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import type { ConfigurationSource } from "../../service/configuration";
import { filled } from "../session/rowReporter";
import type { Session } from "../session/session";
import type { AnyLifeCycle } from "../session/storedProperties";
import { answering, InvalidCallError, type Call } from "./calls";
import { checkFailures } from "./checkFailures";
import { FUNCTIONS } from "./functions";
import { receive, send } from "./properties";
import { changedSettings, checkSettings, KEY, providerSettings } from "./providerConfiguration";
import { resourceCalls } from "./resourceCalls";
import schema from "./schema.json";

export interface PluginParts {
  /** The life cycle of each type. */
  readonly resources: Readonly<Record<string, AnyLifeCycle>>;
  /** Environment variables, read on each access. */
  readonly environment: ConfigurationSource["environment"];
  newSession(): Session;
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
  let session = parts.newSession();
  const resources = new Map(
    Object.entries(parts.resources).map(([type, lifeCycle]) => [
      type,
      resourceCalls(lifeCycle, () => session),
    ]),
  );
  const resourceOf = ({ request }: Call<{ getType(): string; getUrn(): string }>) => {
    const type = request.getType() || typeIn(request.getUrn());
    const found = resources.get(type);
    if (!found) throw new InvalidCallError(`there is no resource type ${JSON.stringify(type)}`);
    return found;
  };

  return {
    handshake: answering(({ request }: Call<rpc.ProviderHandshakeRequest>) => {
      parts.connect(request.getEngineAddress());
      return filled(new rpc.ProviderHandshakeResponse(), { acceptSecrets: true, acceptResources: true });
    }),

    attach: answering(({ request }: Call<PluginAttach>) => {
      parts.connect(request.getAddress());
      session = parts.newSession(); // a new engine has its own session, so that it cancels only its own operations
      return new Empty();
    }),

    getPluginInfo: answering(() => filled(new PluginInfo(), { version: schema.version })),

    getSchema: answering(({ request }: Call<rpc.GetSchemaRequest>) => {
      if (request.getVersion() !== 0) {
        throw new InvalidCallError(`there is no schema of version ${request.getVersion()}`);
      }
      return filled(new rpc.GetSchemaResponse(), { schema: JSON.stringify(schema) });
    }),

    checkConfig: answering(({ request, secrets }: Call<rpc.CheckRequest>) => {
      const { properties, secrecy } = receive(request.getNews());
      const failures = checkSettings(nameIn(request), properties, environment, secrets);
      return filled(new rpc.CheckResponse(), {
        inputs: send(properties, { secrecy, always: [KEY] }),
        failuresList: checkFailures(failures, secrets, secrecy, KEY),
      });
    }),

    // a changed setting never replaces the provider, and with it its resources: each resource has its base URL as an input
    diffConfig: answering(({ request }: Call<rpc.DiffRequest>) => {
      const before = receive(request.getOldInputs() ?? request.getOlds()).properties;
      const changed = changedSettings(before, receive(request.getNews()).properties);
      const { DIFF_SOME, DIFF_NONE } = rpc.DiffResponse.DiffChanges;
      const changes = changed.length > 0 ? DIFF_SOME : DIFF_NONE;
      return filled(new rpc.DiffResponse(), { changes, diffsList: changed });
    }),

    configure: answering(({ request }: Call<rpc.ConfigureRequest>) => {
      const { properties } = receive(request.getArgs());
      session.configure(providerSettings(request.getName() ?? "default", properties, environment));
      const accepted = { acceptsecrets: true, acceptresources: true, supportspreview: true };
      return filled(new rpc.ConfigureResponse(), accepted);
    }),

    check: answering((call: Call<rpc.CheckRequest>) => resourceOf(call).check(call)),
    diff: answering((call: Call<rpc.DiffRequest>) => resourceOf(call).diff(call)),
    create: answering((call: Call<rpc.CreateRequest>) => resourceOf(call).create(call)),
    read: answering((call: Call<rpc.ReadRequest>) => resourceOf(call).read(call)),
    update: answering((call: Call<rpc.UpdateRequest>) => resourceOf(call).update(call)),
    delete: answering((call: Call<rpc.DeleteRequest>) => resourceOf(call).delete(call)),

    invoke: answering(async ({ request, secrets, traceParent }: Call<rpc.InvokeRequest>) => {
      const token = request.getTok();
      const found = Object.hasOwn(FUNCTIONS, token) ? FUNCTIONS[token] : undefined;
      if (!found) throw new InvalidCallError(`there is no function ${JSON.stringify(token)}`);
      const { properties, secrecy } = receive(request.getArgs());
      const result = await session.operation("invoke", { traceParent }, secrets, (context) =>
        found(context, properties, { secrecy, isPreview: request.getPreview() }),
      );
      return filled(new rpc.InvokeResponse(), { return: send(result, { secrecy, repeats: true }) });
    }),

    cancel: answering(() => {
      parts.cancel();
      return new Empty();
    }),
  };
}

/** The type in `urn:pulumi:stack::project::parent$type::name`. */
function typeIn(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}

function nameIn(request: rpc.CheckRequest): string {
  return request.getName() || (request.getUrn().split("::")[3] ?? "");
}
