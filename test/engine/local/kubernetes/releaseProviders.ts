// One stand-in per cluster and namespace, started when it is first needed; they share the `helm` command.
import type { Child } from "../childProcess.ts";
import { ProviderError } from "../provider.ts";
import type { PropertyMap } from "../propertyValues.ts";
import { findHelm, HelmCommand } from "./helmCommand.ts";
import { HelmReleaseProvider, type HelmReleaseSettings } from "./helmRelease.ts";
import { KubeconfigFile, readAmbientKubeconfig, readKubeconfig } from "./kubeconfig.ts";
import { readSettings, unsupportedSettings, type KubernetesSettings } from "./kubernetesSettings.ts";

export interface ReleaseProvidersSetup extends Pick<HelmReleaseSettings, "folder" | "log"> {
  env: NodeJS.ProcessEnv;
  onStart: (child: Pick<Child, "pid" | "isRunning">) => void;
}

const noConfiguration =
  "unable to load Kubernetes client configuration from kubeconfig file. Make sure you have: \n\n \t • set up the provider as per https://www.pulumi.com/registry/packages/kubernetes/installation-configuration/ \n\n invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable";

export class ReleaseProviders {
  #setup: ReleaseProvidersSetup;
  #helm: HelmCommand | undefined;
  #providers = new Map<string, HelmReleaseProvider>();
  #kubeconfigs: KubeconfigFile[] = [];

  constructor(setup: ReleaseProvidersSetup) {
    this.#setup = setup;
  }

  /** @param inputs of the explicit provider, or what the stack's configuration has for the default one */
  of(inputs: PropertyMap): HelmReleaseProvider {
    const unsupported = unsupportedSettings(inputs).map((key) => `kubernetes:${key}`);
    if (unsupported.length > 0) {
      throw new ProviderError(`not supported by the test engine: ${unsupported.join(", ")}`);
    }
    const settings = readSettings(inputs);
    const key = JSON.stringify(settings);
    const known = this.#providers.get(key);
    if (known) return known;
    const provider = this.#create(settings);
    this.#providers.set(key, provider);
    return provider;
  }

  cancel(): void {
    this.#helm?.cancel();
  }

  async stop(): Promise<void> {
    await this.#helm?.stop();
  }

  close(): void {
    for (const file of this.#kubeconfigs) file.remove();
  }

  #create({ kubeconfig, context, namespace }: KubernetesSettings): HelmReleaseProvider {
    const { env, folder, log, onStart } = this.#setup;
    this.#helm ??= new HelmCommand(findHelm(env) ?? "helm", env, onStart);
    const clusterOptions = context ? ["--kube-context", context] : [];
    let inCluster: string | undefined;
    let unreachable: string | undefined;
    try {
      const config = kubeconfig ? readKubeconfig(kubeconfig, context) : readAmbientKubeconfig(env, context);
      inCluster = config.namespace;
      if (inCluster === undefined) unreachable = noConfiguration;
      if (kubeconfig) clusterOptions.push("--kubeconfig", this.#keep(new KubeconfigFile(kubeconfig)).path);
    } catch (error) {
      unreachable = `failed to parse kubeconfig data in \`kubernetes:config:kubeconfig\`- ${(error as Error).message}`;
    }
    const defaultNamespace = namespace ?? inCluster ?? "";
    return new HelmReleaseProvider(this.#helm, {
      folder,
      defaultNamespace,
      clusterOptions,
      unreachable,
      log,
    });
  }

  #keep(file: KubeconfigFile): KubeconfigFile {
    this.#kubeconfigs.push(file);
    return file;
  }
}
