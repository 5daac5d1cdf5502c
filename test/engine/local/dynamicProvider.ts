// The real dynamic-provider process of @pulumi/pulumi, and its calls. Secrets go to it in plain text (it accepts no
// others), and what it returns is marked again.
import type { ServiceError } from "@grpc/grpc-js";
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { startNode, type Child, type ChildOptions } from "./childProcess.ts";
import { resolveFromProgram } from "./programLocation.ts";
import { fromStruct, plainMap, remark, toStruct, type PropertyMap } from "./propertyValues.ts";
import {
  ProviderError,
  type Checked,
  type Provider,
  type ProviderDiff,
  type ProviderState,
} from "./provider.ts";
import type { StoredResource } from "./stateFile.ts";
import { Empty, grpc, messageLimits, providerProto, providerService, statusProto } from "./wire.ts";

/** Long enough for a live process, short enough for a dead one. */
const cancelDeadlineMs = 2000;

export class DynamicProvider implements Provider {
  readonly child: Child;
  #client: ResourceProviderClient;
  #metadata = new grpc.Metadata();
  #calls = 0;

  private constructor(child: Child, client: ResourceProviderClient, traceparent: string | undefined) {
    this.child = child;
    this.#client = client;
    // the real engine, where it traces, names the span that it has of the call; here it is the one that it was started in
    if (traceparent !== undefined) this.#metadata.set("traceparent", traceparent);
  }

  static async start(
    engineAddress: string,
    config: PropertyMap,
    options: ChildOptions,
    onStart: (child: Child) => void,
  ): Promise<DynamicProvider> {
    const file = resolveFromProgram(options.folder, "@pulumi/pulumi/cmd/dynamic-provider/index.js");
    let announce: (port: string) => void;
    const port = new Promise<string>((found) => (announce = found));
    let announced = false;
    const child = startNode(file, [engineAddress], {
      ...options,
      onLine: (line, stream) => {
        if (announced || stream === "stderr") return options.onLine(line, stream);
        announced = true;
        announce(line);
      },
    });
    onStart(child);
    const gone = child.exited.then(({ code, signal }) => {
      throw new ProviderError(`the dynamic provider exited with ${code ?? signal ?? "no code"}`);
    });
    gone.catch(() => undefined); // after the start, its calls tell
    const address = `127.0.0.1:${await Promise.race([port, gone])}`;
    const Client = providerService.ResourceProviderClient;
    const provider = new DynamicProvider(
      child,
      new Client(address, grpc.credentials.createInsecure(), messageLimits),
      options.env["TRACEPARENT"],
    );
    await provider.#configure(config);
    return provider;
  }

  async #configure(config: PropertyMap): Promise<void> {
    const request = new providerProto.ConfigureRequest();
    request.setArgs(toStruct(plainMap(config)));
    request.setAcceptsecrets(true);
    request.setAcceptresources(true);
    await this.#call((done) => this.#client.configure(request, done));
  }

  async check(urn: string, olds: PropertyMap, news: PropertyMap): Promise<Checked> {
    const request = new providerProto.CheckRequest();
    request.setUrn(urn);
    request.setOlds(toStruct(plainMap(olds)));
    request.setNews(toStruct(plainMap(news)));
    const response = await this.#call<InstanceType<typeof providerProto.CheckResponse>>((done) =>
      this.#client.check(request, this.#metadata, done),
    );
    return {
      inputs: remark(fromStruct(response.getInputs()), news),
      failures: response
        .getFailuresList()
        .map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() })),
    };
  }

  async diff(
    old: StoredResource,
    urn: string,
    news: PropertyMap,
    ignoreChanges: string[],
  ): Promise<ProviderDiff> {
    const request = new providerProto.DiffRequest();
    request.setId(old.id ?? "");
    request.setUrn(urn);
    request.setOlds(toStruct(plainMap(old.outputs)));
    request.setNews(toStruct(plainMap(news)));
    request.setOldInputs(toStruct(plainMap(old.inputs)));
    request.setIgnorechangesList(ignoreChanges);
    const response = await this.#call<InstanceType<typeof providerProto.DiffResponse>>((done) =>
      this.#client.diff(request, this.#metadata, done),
    );
    const { DIFF_NONE, DIFF_SOME } = providerProto.DiffResponse.DiffChanges;
    const changes = response.getChanges();
    return {
      changes: changes === DIFF_SOME ? true : changes === DIFF_NONE ? false : undefined,
      replaces: response.getReplacesList(),
      deleteBeforeReplace: response.getDeletebeforereplace(),
    };
  }

  async create(urn: string, inputs: PropertyMap): Promise<ProviderState> {
    const request = new providerProto.CreateRequest();
    request.setUrn(urn);
    request.setProperties(toStruct(plainMap(inputs)));
    const response = await this.#call<InstanceType<typeof providerProto.CreateResponse>>(
      (done) => this.#client.create(request, this.#metadata, done),
      inputs,
    );
    if (!response.getId()) throw new ProviderError("provider did not return an ID from Create");
    return { id: response.getId(), outputs: remark(fromStruct(response.getProperties()), inputs) };
  }

  async update(old: StoredResource, urn: string, inputs: PropertyMap): Promise<ProviderState> {
    const request = new providerProto.UpdateRequest();
    request.setId(old.id ?? "");
    request.setUrn(urn);
    request.setOlds(toStruct(plainMap(old.outputs)));
    request.setNews(toStruct(plainMap(inputs)));
    request.setOldInputs(toStruct(plainMap(old.inputs)));
    const response = await this.#call<InstanceType<typeof providerProto.UpdateResponse>>(
      (done) => this.#client.update(request, this.#metadata, done),
      inputs,
    );
    return { id: old.id ?? "", outputs: remark(fromStruct(response.getProperties()), inputs) };
  }

  async read(
    resource: Pick<StoredResource, "urn" | "id" | "inputs" | "outputs">,
  ): Promise<ProviderState & { inputs: PropertyMap }> {
    const request = new providerProto.ReadRequest();
    request.setId(resource.id ?? "");
    request.setUrn(resource.urn);
    request.setInputs(toStruct(plainMap(resource.inputs)));
    request.setProperties(toStruct(plainMap(resource.outputs)));
    const response = await this.#call<InstanceType<typeof providerProto.ReadResponse>>((done) =>
      this.#client.read(request, this.#metadata, done),
    );
    const inputs = response.getInputs();
    return {
      id: response.getId(),
      outputs: remark(fromStruct(response.getProperties()), resource.outputs),
      inputs: inputs ? remark(fromStruct(inputs), resource.inputs) : resource.inputs,
    };
  }

  async delete(resource: StoredResource): Promise<void> {
    const request = new providerProto.DeleteRequest();
    request.setId(resource.id ?? "");
    request.setUrn(resource.urn);
    request.setProperties(toStruct(plainMap(resource.outputs)));
    request.setOldInputs(toStruct(plainMap(resource.inputs)));
    await this.#call((done) => this.#client.delete(request, this.#metadata, done));
  }

  /** Running calls go on. Never fails: the process may be dead. */
  cancel(): Promise<void> {
    return new Promise((done) => {
      const deadline = Date.now() + cancelDeadlineMs;
      this.#client.cancel(new Empty(), new grpc.Metadata(), { deadline }, () => done());
    });
  }

  /** SIGINT, and SIGKILL if that isn't heeded. */
  async stop(): Promise<void> {
    await this.cancel();
    await this.child.stop();
  }

  async close(): Promise<void> {
    if (this.child.isRunning()) await this.cancel(); // the real engine sends it at every end
    this.#client.close();
    await (this.#calls === 0 ? this.child.finish() : this.child.stop());
  }

  #call<Response>(
    send: (done: (error: ServiceError | null, response: Response) => void) => unknown,
    inputs: PropertyMap = {},
  ): Promise<Response> {
    this.#calls++;
    return new Promise((resolve, reject) => {
      send((error, response) => {
        this.#calls--;
        if (error) reject(readError(error, inputs));
        else resolve(response);
      });
    });
  }
}

/** The host packs a partial failure into the trailer `grpc-status-details-bin`. */
function readError(error: ServiceError, inputs: PropertyMap): ProviderError {
  for (const raw of error.metadata.get("grpc-status-details-bin")) {
    const status = statusProto.Status.deserializeBinary(raw as Buffer);
    for (const detail of status.getDetailsList()) {
      if (detail.getTypeName() !== "pulumirpc.ErrorResourceInitFailed") continue;
      const failure = providerProto.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
      const reasons = failure.getReasonsList();
      const outputs = remark(fromStruct(failure.getProperties()), inputs);
      return ProviderError.unfinished({ id: failure.getId(), outputs }, reasons);
    }
  }
  return new ProviderError(error.details || error.message);
}
