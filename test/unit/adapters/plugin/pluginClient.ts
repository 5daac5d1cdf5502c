import { type Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb.js";
import { Status } from "@pulumi/pulumi/proto/status_pb.js";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { type PluginParts, pluginService } from "../../../../provider/adapters/plugin/pluginService.ts";
import { serve } from "../../../../provider/adapters/plugin/server.ts";

type Method = Exclude<keyof ResourceProviderClient, keyof Client | "list">;
type Answer<Name extends Method> = ResourceProviderClient[Name] extends {
  (
    request: never,
    metadata: never,
    options: never,
    callback: (error: never, response: infer Response) => void,
  ): unknown;
}
  ? Response
  : never;

/** The engine's side of the protocol, against a server of this process. */
export class PluginClient {
  readonly #client: ResourceProviderClient;
  readonly #port: number;
  readonly close: () => void;

  private constructor(port: number, closeServer: () => void) {
    this.#port = port;
    this.#client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure(), {
      "grpc.max_send_message_length": -1,
      "grpc.max_receive_message_length": -1,
      "grpc.use_local_subchannel_pool": 1, // a connection of its own
    });
    this.close = () => {
      this.#client.close();
      closeServer();
    };
  }

  static async start(parts: PluginParts): Promise<PluginClient> {
    const server = await serve(pluginService(parts));
    return new PluginClient(server.port, () => server.close());
  }

  /** Another engine of the same server, with a connection of its own. */
  another(): PluginClient {
    return new PluginClient(this.#port, () => undefined);
  }

  /** Calls a method. @param metadata headers of the call */
  call<Name extends Method>(
    method: Name,
    request: Parameters<ResourceProviderClient[Name]>[0],
    metadata: Readonly<Record<string, string>> = {},
  ): Promise<Answer<Name>> {
    const headers = new Metadata();
    for (const [name, value] of Object.entries(metadata)) headers.set(name, value);
    return new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, response: Answer<Name>): void =>
        error ? reject(error) : resolve(response);
      const run = this.#client[method] as unknown as (...given: unknown[]) => void;
      run.call(this.#client, request, headers, done);
    });
  }
}

/** A message of values that may have the engine's marks in them. */
export function struct(values: object): Struct {
  return Struct.fromJavaScript(values as Record<string, JavaScriptValue>);
}

/** A secret as the engine sends it. */
export const secret = (value: unknown): object => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

/** The partial result in an error; `undefined` if there is none. */
export function partialResultIn(error: unknown): ErrorResourceInitFailed | undefined {
  const [bytes] = (error as ServiceError).metadata.get("grpc-status-details-bin");
  if (!(bytes instanceof Uint8Array)) return undefined;
  const [detail] = Status.deserializeBinary(bytes).getDetailsList();
  if (detail?.getTypeName() !== "pulumirpc.ErrorResourceInitFailed") return undefined;
  return ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
}
