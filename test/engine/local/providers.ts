// Selects the provider of a resource: the process of a plugin (the dynamic-provider process is one), or a stand-in for Pulumi's
// Kubernetes plugin.
import { randomUUID } from "node:crypto";
import type { StackConfig } from "../stackConfig.ts";
import { createUrn, parseUrn } from "../urn.ts";
import { describeFailures } from "./checkFailures.ts";
import type { Child, ChildOptions } from "./childProcess.ts";
import { ExplicitProviders } from "./explicitProviders.ts";
import { Refusal } from "./goal.ts";
import { findHelm, HelmCommand } from "./kubernetes/helmCommand.ts";
import { HelmReleaseProvider, helmReleaseType } from "./kubernetes/helmRelease.ts";
import { findKubectl, NamespaceProvider, namespaceType } from "./kubernetes/namespace.ts";
import { PluginProvider } from "./pluginProvider.ts";
import { resolveFromProgram } from "./programLocation.ts";
import type { PropertyMap } from "./propertyValues.ts";
import { type Provider, ProviderError } from "./provider.ts";
import {
  isProviderType,
  packageOf,
  parseReference,
  providedPackage,
  providerType,
} from "./providerReference.ts";
import { type Configuration, ProviderSession } from "./providerSession.ts";
import { stackReferenceType } from "./stackReferences.ts";
import type { StoredResource } from "./stateFile.ts";

export const dynamicTypePrefix = "pulumi-nodejs:dynamic";
const dynamicPackage = packageOf(dynamicTypePrefix);

export interface ProvidersSetup extends ChildOptions {
  project: string;
  stack: string;
  /** The file of each plugin, by its package. */
  plugins: Record<string, string>;
  /** The stack's. */
  config: StackConfig;
  engineAddress: () => string;
  onStart: (child: Pick<Child, "pid" | "isRunning">) => void;
  stackReferences: Provider;
  /** Finds the provider resource of a state. */
  stored: (urn: string) => StoredResource | undefined;
}

type Provided = Pick<StoredResource, "type" | "provider">;

export class Providers {
  readonly explicit: ExplicitProviders;
  #setup: ProvidersSetup;
  #sessions = new Map<string, ProviderSession>();
  #versions = new Map<string, string>();
  /** Packages whose default provider is to be replaced, says its plugin, and all that it has made. */
  #replaced = new Set<string>();
  #releases: HelmReleaseProvider | undefined;
  #namespaces: NamespaceProvider | undefined;
  #hasKubernetesConfig = false;

  constructor(setup: ProvidersSetup) {
    const { env, folder, plugins } = setup;
    this.#setup = setup;
    const helm = findHelm(env);
    if (helm) this.#releases = new HelmReleaseProvider(new HelmCommand(helm, env), folder);
    const kubectl = findKubectl(env);
    if (kubectl !== undefined) this.#namespaces = new NamespaceProvider(kubectl, env);
    const dynamicHost = resolveFromProgram(folder, "@pulumi/pulumi/cmd/dynamic-provider/index.js");
    for (const [name, file] of Object.entries({ [dynamicPackage]: dynamicHost, ...plugins })) {
      this.#sessions.set(
        name,
        new ProviderSession(
          () => this.#start(name, file),
          (provider, configuration) => this.#prepare(name, provider, configuration),
        ),
      );
    }
    this.explicit = new ExplicitProviders((name) => this.#start(name, plugins[name] ?? ""), setup.stored);
  }

  /**
   * The stack's configuration, from now on.
   *
   * @param declared the program's, and what the state had before it
   */
  async configure(config: PropertyMap, declared?: { before: PropertyMap | undefined }): Promise<void> {
    this.#hasKubernetesConfig = Object.keys(config).some((name) => name.startsWith("kubernetes:"));
    for (const [name, session] of this.#sessions) {
      // the dynamic provider checks none: it may continue after a refresh
      const isDeclared = declared !== undefined && name !== dynamicPackage;
      const before = declared?.before && configOf(name, declared.before);
      await session.configure({
        inputs: configOf(name, config),
        isDeclared,
        before: isDeclared ? before : undefined,
      });
    }
  }

  /** What the program says of the plugin that it is made for. */
  useVersion(packageName: string, version: string): void {
    if (version !== "") this.#versions.set(packageName, version);
  }

  /** A program of a plugin's needs no other one, as a rule. */
  warmUp(): void {
    const names = Object.keys(this.#setup.plugins);
    for (const name of names.length > 0 ? names : [dynamicPackage]) this.#sessions.get(name)?.warmUp();
  }

  /** @returns why this engine has no provider for it */
  whyNot(type: string): string | undefined {
    if (type === stackReferenceType || this.#sessions.has(packageOf(type))) return undefined;
    if (isProviderType(type) && Object.hasOwn(this.#setup.plugins, providedPackage(type))) return undefined;
    if (type !== helmReleaseType && type !== namespaceType) return `resources of type ${type}`;
    if (this.#hasKubernetesConfig) return "configuration of the package kubernetes";
    if (type === namespaceType) {
      return this.#namespaces ? undefined : `resources of type ${type} (there is no \`kubectl\` on PATH)`;
    }
    if (this.#releases) return undefined;
    return `resources of type ${type} (there is no \`helm\` on PATH, and HELM names none)`;
  }

  async of({ type, provider }: Provided): Promise<Provider> {
    const reason = this.whyNot(type);
    if (reason) throw new ProviderError(`not supported by the test engine: ${reason}`);
    if (type === stackReferenceType) return this.#setup.stackReferences;
    if (type === helmReleaseType && this.#releases) return this.#releases;
    if (type === namespaceType && this.#namespaces) return this.#namespaces;
    if (isProviderType(type)) return this.explicit;
    return this.plugin(packageOf(type), provider);
  }

  /** @param reference to an explicit provider; else the package's default one */
  plugin(packageName: string, reference: string | undefined): Promise<PluginProvider> {
    if (reference !== undefined) return this.explicit.get(reference);
    const session = this.#sessions.get(packageName);
    if (!session) throw new ProviderError(`no plugin for the package ${packageName}`);
    return session.get();
  }

  /** Whether a resource that another provider has made until now must be replaced. (step_generator.go, providerChanged) */
  async demandsReplacement(
    old: Provided,
    next: Provided,
    renamed: ReadonlyMap<string, string>,
  ): Promise<boolean> {
    const [from, to] = [old, next].map(({ type, provider }) => provider ?? packageOf(type));
    if (!this.#sessions.has(packageOf(next.type))) return false;
    if (from === to) return next.provider === undefined && this.#replaced.has(packageOf(next.type));
    if (old.provider !== undefined && next.provider !== undefined) {
      const newUrn = renamed.get(parseReference(old.provider).urn);
      if (newUrn === parseReference(next.provider).urn) return false;
    }
    const plugin = await this.plugin(packageOf(next.type), next.provider);
    const news = this.#configurationOf(next);
    const { replaces } = await plugin.diffConfig(news.urn, this.#configurationOf(old, true), news.inputs);
    return replaces.length > 0;
  }

  async cancel(): Promise<void> {
    await Promise.all(this.#all().map((each) => each.cancel()));
  }

  /** Cancel, SIGINT, then SIGKILL if it doesn't end; running calls are not waited for. */
  async stop(): Promise<void> {
    await Promise.all(this.#all().map((each) => each.stop()));
  }

  close = async (): Promise<void> => {
    await Promise.all([this.explicit, ...this.#sessions.values()].map((each) => each.close()));
  };

  #all(): Pick<Provider, "cancel" | "stop">[] {
    return [...(this.#releases ? [this.#releases] : []), this.explicit, ...this.#sessions.values()];
  }

  #start(name: string, file: string): Promise<PluginProvider> {
    const { engineAddress, onStart, config, env } = this.#setup;
    // each plugin gets what the stack's configuration has for its package (host.go and provider_plugin.go)
    const ofPackage = [...config]
      .filter(([key]) => key.startsWith(`${name}:`))
      .map(([key, { value }]) => [key.slice(name.length + 1), value]);
    const withConfig = { ...env, PULUMI_CONFIG: JSON.stringify(Object.fromEntries(ofPackage)) };
    return PluginProvider.start(file, engineAddress(), { ...this.#setup, env: withConfig }, onStart);
  }

  /** As the real engine registers a default provider. */
  async #prepare(
    name: string,
    provider: PluginProvider,
    { inputs, isDeclared, before }: Configuration,
  ): Promise<void> {
    const urn = this.#defaultUrn(name);
    let news = this.#withVersion(name, inputs);
    if (isDeclared) {
      const olds = before && this.#withVersion(name, before);
      const checked = await provider.checkConfig(urn, olds ?? {}, news);
      if (checked.failures.length > 0) {
        const subject = { ...parseUrn(urn), inputs: news };
        throw new Refusal(urn, ...describeFailures(subject, checked.failures));
      }
      news = checked.inputs;
      const diff = olds && (await provider.diffConfig(urn, { inputs: olds, outputs: olds }, news));
      if (diff && diff.replaces.length > 0) this.#replaced.add(name);
    }
    await provider.configure(name, { urn, id: randomUUID() }, news);
  }

  #configurationOf(
    { type, provider }: Provided,
    isBefore = false,
  ): Pick<StoredResource, "urn" | "inputs" | "outputs"> {
    if (provider !== undefined) {
      const stored = this.#setup.stored(parseReference(provider).urn);
      if (!stored) throw new ProviderError(`unknown provider '${provider}'`);
      return stored;
    }
    const name = packageOf(type);
    const configuration = this.#sessions.get(name)?.configuration;
    const config = (isBefore ? configuration?.before : undefined) ?? configuration?.inputs ?? {};
    const inputs = this.#withVersion(name, config);
    return { urn: this.#defaultUrn(name), inputs, outputs: inputs };
  }

  #withVersion(name: string, inputs: PropertyMap): PropertyMap {
    const version = this.#versions.get(name);
    return { ...inputs, ...(version !== undefined && { version }) };
  }

  #defaultUrn(name: string): string {
    const { project, stack } = this.#setup;
    const version = this.#versions.get(name);
    const suffix = version === undefined ? "" : `_${version.replaceAll(/[^\w]/g, "_")}`;
    return createUrn(stack, project, providerType(name), `default${suffix}`, undefined);
  }
}

/** The dynamic provider gets all of it, a plugin what is its package's, without the name of that. */
function configOf(name: string, config: PropertyMap): PropertyMap {
  if (name === dynamicPackage) return config;
  const prefix = `${name}:`;
  return Object.fromEntries(
    Object.entries(config)
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => [key.slice(prefix.length), value]),
  );
}
