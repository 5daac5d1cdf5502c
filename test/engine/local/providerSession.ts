// The default provider of a package in an operation: its process is started when first needed, and configured once per
// configuration.
import { isDeepStrictEqual } from "node:util";
import type { PluginProvider } from "./pluginProvider.ts";
import type { PropertyMap } from "./propertyValues.ts";

export interface Configuration {
  inputs: PropertyMap;
  /** It comes with the program, and is checked; else with the state, where it was. */
  isDeclared: boolean;
  /** What the state has. */
  before: PropertyMap | undefined;
}

export class ProviderSession {
  #start: () => Promise<PluginProvider>;
  #prepare: (provider: PluginProvider, configuration: Configuration) => Promise<void>;
  #configuration: Configuration = { inputs: {}, isDeclared: false, before: undefined };
  #started: Promise<PluginProvider> | undefined;
  #ready: Promise<PluginProvider> | undefined;

  constructor(
    start: () => Promise<PluginProvider>,
    prepare: (provider: PluginProvider, configuration: Configuration) => Promise<void>,
  ) {
    this.#start = start;
    this.#prepare = prepare;
  }

  get configuration(): Configuration {
    return this.#configuration;
  }

  /** Uses this configuration from now on: a process with another one is ended. */
  async configure(configuration: Configuration): Promise<void> {
    if (this.#ready && !isDeepStrictEqual(configuration, this.#configuration)) await this.close();
    this.#configuration = configuration;
  }

  get(): Promise<PluginProvider> {
    this.#ready ??= this.#process().then(async (provider) => {
      await this.#prepare(provider, this.#configuration);
      return provider;
    });
    return this.#ready;
  }

  /** It takes most of a second: the program needs time to start as well. */
  warmUp(): void {
    this.#process().catch(() => undefined); // the caller that needs it gets the error
  }

  async cancel(): Promise<void> {
    await (await this.#running())?.cancel();
  }

  /** Cancel, SIGINT, then SIGKILL if it doesn't end; running calls are not waited for. */
  async stop(): Promise<void> {
    await (await this.#running())?.stop();
  }

  async close(): Promise<void> {
    const provider = await this.#running();
    this.#started = undefined;
    this.#ready = undefined;
    await provider?.close();
  }

  #process(): Promise<PluginProvider> {
    this.#started ??= this.#start();
    return this.#started;
  }

  #running(): Promise<PluginProvider | undefined> {
    return this.#started?.catch(() => undefined) ?? Promise.resolve(undefined);
  }
}
