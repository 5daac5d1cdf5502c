// Providers that a program declares itself (`new Provider`): resources of type `pulumi:providers:PACKAGE`, each with a process
// of its own (providers/registry.go).
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { unknownValue } from "../stack.ts";
import { parseUrn } from "../urn.ts";
import type { PluginProvider } from "./pluginProvider.ts";
import type { PropertyMap } from "./propertyValues.ts";
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
import { parseReference, providedPackage, referenceTo } from "./providerReference.ts";
import type { StoredResource } from "./stateFile.ts";

export class ExplicitProviders implements Provider {
  readonly supportsPreview = true;
  #start: (packageName: string) => Promise<PluginProvider>;
  #stored: (urn: string) => StoredResource | undefined;
  /** By URN: checked, and not yet known to be created, updated or the same. */
  #unconfigured = new Map<string, PluginProvider>();
  /** By reference. */
  #configured = new Map<string, Promise<PluginProvider>>();

  /** @param stored finds the provider resource of a state */
  constructor(
    start: (packageName: string) => Promise<PluginProvider>,
    stored: (urn: string) => StoredResource | undefined,
  ) {
    this.#start = start;
    this.#stored = stored;
  }

  /** One that the program has declared, else the state's. */
  get(reference: string): Promise<PluginProvider> {
    const known = this.#configured.get(reference);
    if (known) return known;
    const { urn, id } = parseReference(reference);
    const stored = this.#stored(urn);
    if (stored?.id !== id) throw new ProviderError(`unknown provider '${reference}'`);
    return this.#configure({ urn, id }, stored.inputs);
  }

  async check(urn: string, olds: PropertyMap, news: PropertyMap): Promise<Checked> {
    const provider = this.#unconfigured.get(urn) ?? (await this.#start(packageIn(urn)));
    this.#unconfigured.set(urn, provider);
    return provider.checkConfig(urn, olds, news);
  }

  async diff(old: StoredResource, urn: string, news: PropertyMap): Promise<ProviderDiff> {
    const provider = this.#unconfigured.get(urn);
    if (!provider) throw new Error(`${urn} was not checked`);
    const answer = await provider.diffConfig(urn, old, news);
    return { ...answer, changes: answer.changes ?? !isDeepStrictEqual(old.outputs, news) };
  }

  async create(urn: string, inputs: PropertyMap, { preview }: Making): Promise<ProviderState> {
    const id = preview ? unknownValue : randomUUID();
    await this.#configure({ urn, id }, inputs);
    return { id, outputs: inputs };
  }

  async update({ id = "" }: StoredResource, urn: string, inputs: PropertyMap): Promise<ProviderState> {
    await this.#configure({ urn, id }, inputs);
    return { id, outputs: inputs };
  }

  /** Nothing changed. */
  async same({ urn, id = "", inputs }: StoredResource): Promise<void> {
    await this.#configure({ urn, id }, inputs);
  }

  read({ id = "", inputs, outputs }: ReadSubject): Promise<ReadAnswer> {
    return Promise.resolve({ id, inputs, outputs });
  }

  async delete({ urn, id = "" }: StoredResource): Promise<void> {
    const reference = referenceTo({ urn, id });
    const provider = this.#configured.get(reference);
    this.#configured.delete(reference);
    await (await provider?.catch(() => undefined))?.close();
  }

  cancel = (): Promise<void> => this.#forEach((provider) => provider.cancel());
  stop = (): Promise<void> => this.#forEach((provider) => provider.stop());

  async close(): Promise<void> {
    await this.#forEach((provider) => provider.close());
    this.#unconfigured.clear();
    this.#configured.clear();
  }

  #configure(identity: { urn: string; id: string }, inputs: PropertyMap): Promise<PluginProvider> {
    const reference = referenceTo(identity);
    const { urn } = identity;
    const checked = this.#unconfigured.get(urn);
    this.#unconfigured.delete(urn);
    const before = this.#configured.get(reference);
    const configured = (async () => {
      const provider = checked ?? (await this.#start(packageIn(urn)));
      await provider.configure(packageIn(urn), identity, inputs);
      await (await before?.catch(() => undefined))?.close();
      return provider;
    })();
    this.#configured.set(reference, configured);
    return configured;
  }

  async #forEach(act: (provider: PluginProvider) => Promise<void>): Promise<void> {
    const configured = [...this.#configured.values()].map((each) => each.catch(() => undefined));
    const running = (await Promise.all(configured)).filter((each) => each !== undefined);
    await Promise.all([...this.#unconfigured.values(), ...running].map(act));
  }
}

const packageIn = (urn: string): string => providedPackage(parseUrn(urn).type);
