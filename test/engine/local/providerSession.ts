// The provider process of an operation: started when first needed, once per configuration.
import { isDeepStrictEqual } from "node:util";
import type { DynamicProvider } from "./dynamicProvider.ts";
import type { PropertyMap } from "./propertyValues.ts";

export class ProviderSession {
  #start: (config: PropertyMap) => Promise<DynamicProvider>;
  #config: PropertyMap = {};
  #provider: Promise<DynamicProvider> | undefined;

  constructor(start: (config: PropertyMap) => Promise<DynamicProvider>) {
    this.#start = start;
  }

  /** From now on with this configuration: a process that runs with another one is ended. */
  async configure(config: PropertyMap): Promise<void> {
    if (this.#provider && !isDeepStrictEqual(config, this.#config)) await this.close();
    this.#config = config;
  }

  get(): Promise<DynamicProvider> {
    this.#provider ??= this.#start(this.#config);
    return this.#provider;
  }

  /** It takes most of a second: time that the program needs to start as well. */
  warmUp(): void {
    this.get().catch(() => undefined); // whoever needs it will hear of it
  }

  async cancel(): Promise<void> {
    await (await this.#running())?.cancel();
  }

  /** Cancel, SIGINT, and SIGKILL if that isn't heeded; no call that runs is waited for. */
  async stop(): Promise<void> {
    const provider = await this.#running();
    await provider?.cancel();
    await provider?.child.stop();
  }

  async close(): Promise<void> {
    const provider = await this.#running();
    this.#provider = undefined;
    await provider?.close();
  }

  #running(): Promise<DynamicProvider | undefined> {
    return this.#provider?.catch(() => undefined) ?? Promise.resolve(undefined);
  }
}
