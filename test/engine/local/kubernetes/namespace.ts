// Replaces Pulumi's Kubernetes plugin where a program declares a `kubernetes.core.v1.Namespace`: the real `kubectl` command does the
// work, on the cluster of KUBECONFIG. Only the name is supported.
import { findCommand, runCommand } from "../../../programs/commands.ts";
import { plainMap, type PropertyMap } from "../propertyValues.ts";
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

export const namespaceType = "kubernetes:core/v1:Namespace";

/** Its path. @returns `undefined` when there is none on PATH */
export const findKubectl = (env: NodeJS.ProcessEnv): string | undefined =>
  findCommand("kubectl", env["PATH"]);

export class NamespaceProvider implements Provider {
  readonly supportsPreview = false;
  #kubectl: (...args: string[]) => Promise<string>;

  /** @param path of `kubectl` */
  constructor(path: string, env: NodeJS.ProcessEnv) {
    this.#kubectl = (...args) =>
      runCommand(path, args, { env }).catch((error: unknown) => {
        throw new ProviderError((error as Error).message);
      });
  }

  check(_urn: string, _olds: PropertyMap, news: PropertyMap): Promise<Checked> {
    const { metadata, ...others } = plainMap(news);
    const { name, ...fields } = Object(metadata) as PropertyMap;
    const unsupported = [
      // the SDK's own marks
      ...Object.keys(others).filter((key) => !["apiVersion", "kind"].includes(key)),
      ...Object.keys(fields).map((key) => `metadata.${key}`),
      ...(typeof name === "string" ? [] : ["no metadata.name"]),
    ];
    if (unsupported.length === 0) return Promise.resolve({ inputs: news, failures: [] });
    const list = unsupported.map((each) => `${each} of a Namespace`).join(", ");
    return Promise.reject(new ProviderError(`not supported by the test engine: ${list}`));
  }

  diff({ inputs }: StoredResource, _urn: string, news: PropertyMap): Promise<ProviderDiff> {
    const replaces = nameIn(inputs) === nameIn(news) ? [] : ["metadata"];
    return Promise.resolve({ changes: undefined, replaces, deleteBeforeReplace: false });
  }

  async create(_urn: string, inputs: PropertyMap): Promise<ProviderState> {
    const id = nameIn(inputs);
    await this.#kubectl("create", "namespace", id);
    return { id, outputs: inputs };
  }

  update(): Promise<ProviderState> {
    return Promise.reject(new ProviderError("not supported by the test engine: an update of a Namespace"));
  }

  async read({ id = "", inputs, outputs }: ReadSubject): Promise<ReadAnswer> {
    const found = await this.#kubectl("get", "namespace", id, "--ignore-not-found", "--output=name");
    return found === "" ? { id: "", outputs: undefined, inputs } : { id, outputs, inputs };
  }

  /** Waits until everything in it is gone. */
  async delete({ id = "" }: StoredResource): Promise<void> {
    await this.#kubectl("delete", "namespace", id, "--ignore-not-found");
  }

  cancel = (): Promise<void> => Promise.resolve();
  stop = (): Promise<void> => Promise.resolve();
  close = (): Promise<void> => Promise.resolve();
}

const nameIn = (inputs: PropertyMap): string =>
  String((plainMap(inputs)["metadata"] as { name?: unknown } | undefined)?.name);
