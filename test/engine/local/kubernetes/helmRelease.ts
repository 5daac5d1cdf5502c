// Replaces Pulumi's Kubernetes plugin where a program declares a `kubernetes.helm.v3.Release`: the real `helm` command does the
// work, on the cluster of KUBECONFIG. Its errors are shown in its own words.
import { isDeepStrictEqual } from "node:util";
import { isMap, plainMap, type PropertyMap, remark } from "../propertyValues.ts";
import {
  type Checked,
  type Provider,
  type ProviderDiff,
  ProviderError,
  type ProviderState,
  type ReadAnswer,
  type ReadSubject,
} from "../provider.ts";
import type { StoredResource } from "../stateFile.ts";
import { type HelmCommand, HelmError } from "./helmCommand.ts";
import { installArguments, type ReleaseInputs, unsupportedInputs } from "./releaseInputs.ts";

export const helmReleaseType = "kubernetes:helm.sh/v3:Release";

/** The output of `helm get metadata` for the newest revision, and the output `status` that has it. */
interface ReleaseStatus {
  name: string;
  namespace: string;
  revision: number;
  status: string;
  chart: string;
  version: string;
  appVersion: string;
}

export class HelmReleaseProvider implements Provider {
  readonly supportsPreview = false;
  #helm: HelmCommand;
  #folder: string;

  /** @param folder of the program: `./chart` is relative to it */
  constructor(helm: HelmCommand, folder: string) {
    this.#helm = helm;
    this.#folder = folder;
  }

  check(_urn: string, _olds: PropertyMap, news: PropertyMap): Promise<Checked> {
    const names = unsupportedInputs(plainMap(news));
    if (names.length === 0) return Promise.resolve({ inputs: news, failures: [] });
    const list = names.map((name) => `${name} of a Release`).join(", ");
    return Promise.reject(new ProviderError(`not supported by the test engine: ${list}`));
  }

  diff({ inputs: olds }: StoredResource, _urn: string, news: PropertyMap): Promise<ProviderDiff> {
    const replaces = ["name", "namespace"].filter((key) => !isDeepStrictEqual(olds[key], news[key]));
    return Promise.resolve({ changes: undefined, replaces, deleteBeforeReplace: false });
  }

  create = (_urn: string, inputs: PropertyMap): Promise<ProviderState> => this.#make("install", inputs);
  update = (_old: StoredResource, _urn: string, inputs: PropertyMap): Promise<ProviderState> =>
    this.#make("upgrade", inputs);

  /** A failure with a recorded revision is a partial one. */
  async #make(command: "install" | "upgrade", inputs: PropertyMap): Promise<ProviderState> {
    const release = plainMap(inputs) as unknown as ReleaseInputs;
    const id = `${release.namespace}/${release.name}`;
    const before = await this.#find(release);
    try {
      const args = installArguments(command, release, this.#folder);
      await this.#helm.run([command, release.name, ...args], release.values ?? {});
    } catch (error) {
      const tried = await this.#find(release).catch(() => undefined);
      if (!(error instanceof HelmError) || !tried || tried.revision === before?.revision) throw error;
      throw ProviderError.unfinished({ id, outputs: withStatus(inputs, tried) }, [error.message]);
    }
    return { id, outputs: withStatus(inputs, await this.#find(release)) };
  }

  async read({ id = "", inputs = {}, outputs = {} }: ReadSubject): Promise<ReadAnswer> {
    const release = plainMap(inputs) as unknown as ReleaseInputs;
    const status = await this.#find(release);
    // as the plugin does: the inputs of the newest revision, pending or not
    const values = merged(release.values ?? {}, status ? await this.#values(release) : {});
    const found = Object.keys(values).length > 0 ? remark({ values }, inputs) : {};
    return {
      id: status ? id : "",
      outputs: withStatus({ ...outputs, ...found }, status),
      inputs: { ...inputs, ...found },
    };
  }

  async #values({ name, namespace }: ReleaseInputs): Promise<PropertyMap> {
    const args = ["get", "values", name, "--namespace", namespace, "--output", "json"];
    return (JSON.parse(await this.#helm.run(args)) ?? {}) as PropertyMap;
  }

  async delete({ inputs }: StoredResource): Promise<void> {
    const { name, namespace, skipAwait } = plainMap(inputs) as unknown as ReleaseInputs;
    await this.#helm.run(["uninstall", name, "--namespace", namespace, ...(skipAwait ? [] : ["--wait"])]);
  }

  /** @returns `undefined` when there is none */
  async #find({ name, namespace }: ReleaseInputs): Promise<ReleaseStatus | undefined> {
    try {
      const json = await this.#helm.run([
        "get",
        "metadata",
        name,
        "--namespace",
        namespace,
        "--output",
        "json",
      ]);
      const found = JSON.parse(json) as ReleaseStatus;
      const { revision, status, chart, version, appVersion } = found;
      return { name, namespace, revision, status, chart, version, appVersion };
    } catch (error) {
      if (error instanceof HelmError && error.message.includes("release: not found")) return undefined;
      throw error;
    }
  }

  cancel = (): Promise<void> => this.#helm.cancel();
  stop = (): Promise<void> => this.#helm.stop();
  close = (): Promise<void> => Promise.resolve();
}

const merged = (under: PropertyMap, over: PropertyMap): PropertyMap => {
  const result = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const before = result[key];
    result[key] = isMap(before) && isMap(value) ? merged(before, value) : value;
  }
  return result;
};

const withStatus = (values: PropertyMap, status: ReleaseStatus | undefined): PropertyMap => ({
  ...values,
  ...(status && { status: { ...status } }),
});
