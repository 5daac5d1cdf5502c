// Who makes which resource: the dynamic-provider process, or a stand-in for Pulumi's Kubernetes plugin.
import type { ChildOptions, Child } from "./childProcess.ts";
import { DynamicProvider } from "./dynamicProvider.ts";
import { findHelm, HelmCommand } from "./kubernetes/helmCommand.ts";
import { HelmReleaseProvider, helmReleaseType } from "./kubernetes/helmRelease.ts";
import { ProviderError, type Provider } from "./provider.ts";
import { ProviderSession } from "./providerSession.ts";
import { stackReferenceType } from "./stackReferences.ts";
import type { PropertyMap } from "./propertyValues.ts";

export const dynamicTypePrefix = "pulumi-nodejs:dynamic";

export interface ProvidersSetup extends ChildOptions {
  engineAddress: () => string;
  onStart: (child: Pick<Child, "pid" | "isRunning">) => void;
  stackReferences: Provider;
}

export class Providers {
  #dynamic: ProviderSession;
  #releases: HelmReleaseProvider | undefined;
  #stackReferences: Provider;
  #hasKubernetesConfig = false;

  constructor(setup: ProvidersSetup) {
    const helm = findHelm(setup.env);
    if (helm) this.#releases = new HelmReleaseProvider(new HelmCommand(helm, setup.env), setup.folder);
    this.#stackReferences = setup.stackReferences;
    this.#dynamic = new ProviderSession((config) =>
      DynamicProvider.start(setup.engineAddress(), config, setup, setup.onStart),
    );
  }

  /** The stack's configuration, from now on. */
  async configure(config: PropertyMap): Promise<void> {
    this.#hasKubernetesConfig = Object.keys(config).some((name) => name.startsWith("kubernetes:"));
    await this.#dynamic.configure(config);
  }

  warmUp(): void {
    this.#dynamic.warmUp();
  }

  /** @returns why this engine has nobody to make it */
  whyNot(type: string): string | undefined {
    if (type === stackReferenceType || type.startsWith(dynamicTypePrefix)) return undefined;
    if (type !== helmReleaseType) return `resources of type ${type}`;
    if (this.#hasKubernetesConfig) return "configuration of the package kubernetes";
    if (this.#releases) return undefined;
    return `resources of type ${type} (there is no \`helm\` on PATH, and HELM names none)`;
  }

  async of({ type }: { type: string }): Promise<Provider> {
    const reason = this.whyNot(type);
    if (reason) throw new ProviderError(`not supported by the test engine: ${reason}`);
    if (type === stackReferenceType) return this.#stackReferences;
    if (type === helmReleaseType && this.#releases) return this.#releases;
    return this.#dynamic.get();
  }

  async cancel(): Promise<void> {
    await this.#releases?.cancel();
    await this.#dynamic.cancel();
  }

  /** Cancel, SIGINT, and SIGKILL if that isn't heeded; no call that runs is waited for. */
  async stop(): Promise<void> {
    await Promise.all([this.#releases?.stop(), this.#dynamic.stop()]);
  }

  close = (): Promise<void> => this.#dynamic.close();
}
