// The native plugin as a process of its own, called as Pulumi's engine calls it.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { credentials, type ServiceError } from "@grpc/grpc-js";
import type { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import provider from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import type { CheckResponse, CreateResponse, GetSchemaResponse } from "@pulumi/pulumi/proto/provider_pb.js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import emptyPb from "google-protobuf/google/protobuf/empty_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import structPb from "google-protobuf/google/protobuf/struct_pb.js";

type Values = Record<string, unknown>;

/** The process has ended without the line that says its port. The message is what it wrote instead. */
export class NoPortError extends Error {}

export interface PluginProcess {
  readonly pid: number;
  version(): Promise<string>;
  schema(): Promise<{ name: string; version: string; resources: Values }>;
  /** Checks inputs. @throws an Error with the first failure */
  check(type: string, inputs: Values): Promise<Struct | undefined>;
  /** Checks the inputs and creates the resource. @returns its outputs */
  create(type: string, inputs: Values): Promise<Values>;
  /** Ends the process. */
  stop(): void;
}

/**
 * Starts a provider.
 *
 * @param env its whole environment
 * @throws NoPortError
 */
export async function startPlugin(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<PluginProcess> {
  const child = spawn(command, [...args], { env, stdio: ["pipe", "pipe", "pipe"] });
  const port = await portOf(child);
  const unlimited = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };
  const address = `127.0.0.1:${port}`;
  const client = new provider.ResourceProviderClient(address, credentials.createInsecure(), unlimited);
  const call = <Answer>(
    start: (callback: (error: ServiceError | null, answer: Answer) => void) => unknown,
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      start((error, answer) => (error ? reject(error) : resolve(answer)));
    });

  const check = async (type: string, inputs: Values): Promise<Struct | undefined> => {
    const request = new providerPb.CheckRequest();
    request.setUrn(urnOf(type));
    request.setType(typeOf(type));
    request.setNews(structPb.Struct.fromJavaScript(inputs as Record<string, structPb.JavaScriptValue>));
    const checked = await call<CheckResponse>((callback) => client.check(request, callback));
    const [failure] = checked.getFailuresList();
    if (failure) throw new Error(`${failure.getProperty()}: ${failure.getReason()}`);
    return checked.getInputs();
  };

  return {
    pid: child.pid ?? 0,
    version: async () =>
      (
        await call<PluginInfo>((callback) => client.getPluginInfo(new emptyPb.Empty(), callback))
      ).getVersion(),
    schema: async () => {
      const answer = await call<GetSchemaResponse>((callback) =>
        client.getSchema(new providerPb.GetSchemaRequest(), callback),
      );
      return JSON.parse(answer.getSchema()) as Awaited<ReturnType<PluginProcess["schema"]>>;
    },
    check,
    async create(type, inputs) {
      const create = new providerPb.CreateRequest();
      create.setUrn(urnOf(type));
      create.setType(typeOf(type));
      create.setProperties(await check(type, inputs));
      const created = await call<CreateResponse>((callback) => client.create(create, callback));
      return created.getProperties()?.toJavaScript() ?? {};
    },
    stop: () => void child.kill("SIGKILL"),
  };
}

const typeOf = (name: string): string => `docs-hosting:index:${name}`;
const urnOf = (name: string): string => `urn:pulumi:dev::test::${typeOf(name)}::it`;

function portOf(child: ChildProcess): Promise<number> {
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => reject(new NoPortError(errors)));
    if (child.stdout) createInterface(child.stdout).once("line", (line) => resolve(Number(line)));
  });
}
