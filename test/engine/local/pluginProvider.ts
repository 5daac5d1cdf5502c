// A plugin and its calls, as the real engine makes them (provider_plugin.go).
import type {
  CheckResponse,
  ConfigureResponse,
  CreateResponse,
  DiffResponse,
  InvokeResponse,
  ReadResponse,
  UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb.js";
import { parseUrn } from "../urn.ts";
import type { Child, ChildOptions } from "./childProcess.ts";
import { PluginConnection } from "./pluginConnection.ts";
import { startPlugin } from "./pluginProcess.ts";
import {
  containsUnknown,
  fromStruct,
  plainMap,
  type PropertyMap,
  remark,
  toStruct,
} from "./propertyValues.ts";
import {
  type Checked,
  type Making,
  type Provider,
  type ProviderDiff,
  ProviderError,
  type ProviderState,
  type ReadAnswer,
  type ReadSubject,
} from "./provider.ts";
import type { StoredResource } from "./stateFile.ts";
import { providerProto } from "./wire.ts";

/** What the real engine says of a resource whose provider it cannot configure yet. */
const unknownConfig =
  "The provider for this resource has inputs that are not known during preview.\n" +
  "This preview may not correctly represent the changes that will be applied during an update.";

type Request = {
  setUrn(urn: string): unknown;
  setName(name: string): unknown;
  setType(type: string): unknown;
};

export class PluginProvider implements Provider {
  #plugin: PluginConnection;
  /** `false`: in a preview, its configuration is to come from what is not made yet. */
  #isConfigured = true;

  private constructor(plugin: PluginConnection) {
    this.#plugin = plugin;
  }

  static async start(
    file: string,
    engineAddress: string,
    options: ChildOptions,
    onStart: (child: Child) => void,
  ): Promise<PluginProvider> {
    const started = await startPlugin(file, engineAddress, options, onStart);
    return new PluginProvider(new PluginConnection(started, options.env["TRACEPARENT"]));
  }

  get supportsPreview(): boolean {
    return this.#plugin.supportsPreview;
  }

  async checkConfig(urn: string, olds: PropertyMap, news: PropertyMap): Promise<Checked> {
    const request = new providerProto.CheckRequest();
    about(request, urn);
    request.setOlds(toStruct(plainMap(olds)));
    request.setNews(toStruct(plainMap(news)));
    const response = await this.#plugin.callIfImplemented<CheckResponse>((done) =>
      this.#plugin.client.checkConfig(request, done),
    );
    if (!response) return { inputs: news, failures: [] };
    return { inputs: remark(fromStruct(response.getInputs()), news), failures: failuresOf(response) };
  }

  async diffConfig(
    urn: string,
    olds: Pick<StoredResource, "inputs" | "outputs">,
    news: PropertyMap,
  ): Promise<ProviderDiff> {
    const request = new providerProto.DiffRequest();
    about(request, urn);
    request.setOldInputs(toStruct(plainMap(olds.inputs)));
    request.setOlds(toStruct(plainMap(olds.outputs)));
    request.setNews(toStruct(plainMap(news)));
    const response = await this.#plugin.callIfImplemented<DiffResponse>((done) =>
      this.#plugin.client.diffConfig(request, done),
    );
    return response ? readDiff(response) : { changes: undefined, replaces: [], deleteBeforeReplace: false };
  }

  /** @param packageName whose name the deprecated variables have */
  async configure(packageName: string, { urn, id }: { urn: string; id: string }, inputs: PropertyMap) {
    this.#isConfigured = !containsUnknown(inputs);
    if (!this.#isConfigured) return;
    const request = new providerProto.ConfigureRequest();
    about(request, urn);
    request.setId(id);
    request.setArgs(toStruct(inputs));
    for (const [name, value] of Object.entries(plainMap(inputs))) {
      if (name === "version") continue;
      const text = typeof value === "string" ? value : JSON.stringify(value);
      request.getVariablesMap().set(`${packageName}:config:${name}`, text);
    }
    request.setAcceptsecrets(true);
    request.setAcceptresources(true);
    request.setSendsOldInputs(true);
    request.setSendsOldInputsToDelete(true);
    const response = await this.#plugin.call<ConfigureResponse>((done) =>
      this.#plugin.client.configure(request, done),
    );
    this.#plugin.agreeOn({
      acceptSecrets: response.getAcceptsecrets(),
      supportsPreview: response.getSupportspreview(),
    });
  }

  async check(urn: string, olds: PropertyMap, news: PropertyMap): Promise<Checked> {
    if (!this.#isConfigured) return { inputs: news, failures: [] };
    const request = new providerProto.CheckRequest();
    about(request, urn);
    request.setOlds(this.#plugin.write(olds));
    request.setNews(this.#plugin.write(news));
    const response = await this.#plugin.call<CheckResponse>((done) =>
      this.#plugin.client.check(request, this.#plugin.metadata, done),
    );
    return {
      inputs: this.#plugin.read(fromStruct(response.getInputs()), news),
      failures: failuresOf(response),
    };
  }

  async diff(
    old: StoredResource,
    urn: string,
    news: PropertyMap,
    ignoreChanges: string[],
  ): Promise<ProviderDiff> {
    if (!this.#isConfigured) {
      return { changes: true, replaces: [], deleteBeforeReplace: false, warning: unknownConfig };
    }
    const request = new providerProto.DiffRequest();
    about(request, urn);
    request.setId(old.id ?? "");
    request.setOlds(this.#plugin.write(old.outputs));
    request.setNews(this.#plugin.write(news));
    request.setOldInputs(this.#plugin.write(old.inputs));
    request.setIgnorechangesList(ignoreChanges);
    return readDiff(
      await this.#plugin.call<DiffResponse>((done) =>
        this.#plugin.client.diff(request, this.#plugin.metadata, done),
      ),
    );
  }

  async create(urn: string, inputs: PropertyMap, { preview, timeout }: Making): Promise<ProviderState> {
    if (preview && !this.#isConfigured) return { id: "", outputs: {} };
    const request = new providerProto.CreateRequest();
    about(request, urn);
    request.setProperties(this.#plugin.write(inputs));
    request.setPreview(preview);
    request.setTimeout(timeout);
    const response = await this.#plugin.call<CreateResponse>(
      (done) => this.#plugin.client.create(request, this.#plugin.metadata, done),
      inputs,
    );
    const id = response.getId();
    if (!id && !preview) throw new ProviderError(`plugin returned empty resource.ID from create '${urn}'`);
    return { id, outputs: this.#plugin.readState(response.getProperties(), inputs, preview) };
  }

  async update(
    old: StoredResource,
    urn: string,
    inputs: PropertyMap,
    { preview, timeout }: Making,
  ): Promise<ProviderState> {
    if (preview && !this.#isConfigured) return { id: old.id ?? "", outputs: {} };
    const request = new providerProto.UpdateRequest();
    about(request, urn);
    request.setId(old.id ?? "");
    request.setOlds(this.#plugin.write(old.outputs));
    request.setNews(this.#plugin.write(inputs));
    request.setOldInputs(this.#plugin.write(old.inputs));
    request.setPreview(preview);
    request.setTimeout(timeout);
    const response = await this.#plugin.call<UpdateResponse>(
      (done) => this.#plugin.client.update(request, this.#plugin.metadata, done),
      inputs,
    );
    return { id: old.id ?? "", outputs: this.#plugin.readState(response.getProperties(), inputs, preview) };
  }

  async read({ urn, id, inputs, outputs, timeout }: ReadSubject): Promise<ReadAnswer> {
    if (!this.#isConfigured) return { id: "", outputs: {}, inputs: {} };
    const request = new providerProto.ReadRequest();
    about(request, urn);
    request.setId(id ?? "");
    if (inputs) request.setInputs(this.#plugin.write(inputs));
    if (outputs) request.setProperties(this.#plugin.write(outputs));
    request.setTimeout(timeout ?? 0);
    const response = await this.#plugin.call<ReadResponse>(
      (done) => this.#plugin.client.read(request, this.#plugin.metadata, done),
      outputs,
    );
    const found = response.getProperties();
    const foundInputs = response.getInputs();
    return {
      id: response.getId(),
      outputs: found && this.#plugin.readState(response.getProperties(), outputs ?? {}, false),
      inputs: foundInputs && this.#plugin.read(fromStruct(foundInputs), inputs ?? {}),
    };
  }

  async delete(resource: StoredResource): Promise<void> {
    const request = new providerProto.DeleteRequest();
    about(request, resource.urn);
    request.setId(resource.id ?? "");
    request.setProperties(this.#plugin.write(resource.outputs));
    request.setOldInputs(this.#plugin.write(resource.inputs));
    request.setTimeout(resource.customTimeouts?.delete ?? 0);
    await this.#plugin.call((done) => this.#plugin.client.delete(request, this.#plugin.metadata, done));
  }

  async invoke(
    token: string,
    args: PropertyMap,
    preview: boolean,
  ): Promise<{ result: PropertyMap; failures: Checked["failures"] }> {
    if (!this.#isConfigured) return { result: {}, failures: [] };
    const request = new providerProto.InvokeRequest();
    request.setTok(token);
    request.setArgs(this.#plugin.write(args));
    request.setPreview(preview);
    const response = await this.#plugin.call<InvokeResponse>((done) =>
      this.#plugin.client.invoke(request, this.#plugin.metadata, done),
    );
    return { result: fromStruct(response.getReturn()), failures: failuresOf(response) };
  }

  cancel = (): Promise<void> => this.#plugin.cancel();
  stop = (): Promise<void> => this.#plugin.stop();
  close = (): Promise<void> => this.#plugin.close();
}

function about(request: Request, urn: string): void {
  const { type, name } = parseUrn(urn);
  request.setUrn(urn);
  request.setName(name);
  request.setType(type);
}

const failuresOf = (response: Pick<CheckResponse, "getFailuresList">): Checked["failures"] =>
  response
    .getFailuresList()
    .map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() }));

function readDiff(response: DiffResponse): ProviderDiff {
  const { DIFF_NONE, DIFF_SOME } = providerProto.DiffResponse.DiffChanges;
  const { ADD_REPLACE, DELETE_REPLACE, UPDATE_REPLACE } = providerProto.PropertyDiff.Kind;
  const changes = response.getChanges();
  const replacing = [...response.getDetaileddiffMap().entries()]
    .filter(([, diff]) =>
      ([ADD_REPLACE, DELETE_REPLACE, UPDATE_REPLACE] as number[]).includes(diff.getKind()),
    )
    .map(([path]) => path);
  const diffs = response.getDiffsList();
  return {
    changes: changes === DIFF_SOME ? true : changes === DIFF_NONE ? false : undefined,
    replaces: [...new Set([...response.getReplacesList(), ...replacing])],
    deleteBeforeReplace: response.getDeletebeforereplace(),
    ...(diffs.length > 0 && { diffs }),
  };
}
