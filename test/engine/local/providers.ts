// Who makes which resource: the dynamic-provider process, or a stand-in for Pulumi's Kubernetes plugin. Each is started
// when it is first needed, once per configuration.
import type { ChildOptions, Child } from "./childProcess.ts";
import { DynamicProvider } from "./dynamicProvider.ts";
import { findHelm } from "./kubernetes/helmCommand.ts";
import { helmReleaseType } from "./kubernetes/helmRelease.ts";
import {
  kubernetesProviderResource,
  kubernetesProviderType,
} from "./kubernetes/kubernetesProviderResource.ts";
import { defaultProviderInputs, replacingKeys } from "./kubernetes/kubernetesSettings.ts";
import { ReleaseProviders } from "./kubernetes/releaseProviders.ts";
import type { LogLine } from "../stack.ts";
import { ProviderError, type Provider } from "./provider.ts";
import { ProviderSession } from "./providerSession.ts";
import { stackReferenceType } from "./stackReferences.ts";
import type { PropertyMap } from "./propertyValues.ts";
import type { StoredResource } from "./stateFile.ts";
import { parseUrn } from "../urn.ts";

export const dynamicTypePrefix = "pulumi-nodejs:dynamic";

/** What decides who makes a resource. */
export type Made = Pick<StoredResource, "type" | "provider">;

export interface ProvidersSetup extends ChildOptions {
  engineAddress: () => string;
  onStart: (child: Pick<Child, "pid" | "isRunning">) => void;
  log: (line: Pick<LogLine, "severity" | "message" | "urn">) => void;
  stackReferences: Provider;
  /** An explicit provider, as the program declares it, else as the state has it. */
  find: (reference: ProviderReference) => StoredResource | undefined;
}

export interface ProviderReference {
  urn: string;
  id: string;
}

/** «URN::id», as resources name the explicit provider that they belong to. */
export function parseReference(reference: string): ProviderReference {
  const end = reference.lastIndexOf("::");
  return { urn: reference.slice(0, end), id: reference.slice(end + 2) };
}

export class Providers {
  #setup: ProvidersSetup;
  #dynamic: ProviderSession;
  #config: PropertyMap = {};
  #releases: ReleaseProviders;

  constructor(setup: ProvidersSetup) {
    this.#setup = setup;
    this.#releases = new ReleaseProviders(setup);
    this.#dynamic = new ProviderSession((config) =>
      DynamicProvider.start(setup.engineAddress(), config, setup, setup.onStart),
    );
  }

  /** The stack's configuration, for the default providers from now on. */
  async configure(config: PropertyMap): Promise<void> {
    this.#config = config;
    await this.#dynamic.configure(config);
  }

  warmUp(): void {
    this.#dynamic.warmUp();
  }

  /** @returns why this engine has nobody to make it */
  whyNot({ type, provider = "" }: Made): string | undefined {
    const isExplicit = provider !== "";
    if (type === kubernetesProviderType || type === stackReferenceType) return undefined;
    if (type === helmReleaseType) {
      if (isExplicit && parseUrn(parseReference(provider).urn).type !== kubernetesProviderType) {
        return "explicit providers";
      }
      if (findHelm(this.#setup.env)) return undefined;
      return `resources of type ${type} (there is no \`helm\` on PATH, and HELM names none)`;
    }
    if (!type.startsWith(dynamicTypePrefix)) return `resources of type ${type}`;
    return isExplicit ? "explicit providers" : undefined;
  }

  async of(made: Made): Promise<Provider> {
    const reason = this.whyNot(made);
    if (reason) throw new ProviderError(`not supported by the test engine: ${reason}`);
    if (made.type === kubernetesProviderType) return kubernetesProviderResource;
    if (made.type === stackReferenceType) return this.#setup.stackReferences;
    if (made.type === helmReleaseType) return this.#releases.of(this.#inputsOf(made));
    return this.#dynamic.get();
  }

  /** Whether another provider than before means that the resource must be made anew. */
  needsReplacement(old: Made, next: Made, before: PropertyMap | undefined): boolean {
    if (old.provider === next.provider || next.type !== helmReleaseType) return false;
    return replacingKeys(before ?? {}, this.#inputsOf(next)).length > 0;
  }

  async cancel(): Promise<void> {
    this.#releases.cancel();
    await this.#dynamic.cancel();
  }

  /** Cancel, SIGINT, and SIGKILL if that isn't heeded; no call that runs is waited for. */
  async stop(): Promise<void> {
    await Promise.all([this.#releases.stop(), this.#dynamic.stop()]);
  }

  async close(): Promise<void> {
    await this.#dynamic.close();
    this.#releases.close();
  }

  #inputsOf({ provider = "" }: Made): PropertyMap {
    if (provider === "") return defaultProviderInputs(this.#config);
    const reference = parseReference(provider);
    const resource = this.#setup.find(reference);
    if (!resource) throw new ProviderError(`unknown provider '${provider}'`);
    return resource.inputs;
  }
}
