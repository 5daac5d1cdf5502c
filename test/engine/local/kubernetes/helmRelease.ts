// Stands in for Pulumi's Kubernetes plugin where a program declares a `kubernetes.helm.v3.Release`: the same inputs,
// outputs and words (its helm_release.go), carried out by the real `helm` command.
import { randomBytes } from "node:crypto";
import type { LogLine } from "../../stack.ts";
import { parseUrn } from "../../urn.ts";
import {
  ProviderError,
  type Checked,
  type Provider,
  type ProviderDiff,
  type ProviderState,
} from "../provider.ts";
import { plainMap, remark, type PropertyMap, type PropertyValue } from "../propertyValues.ts";
import type { StoredResource } from "../stateFile.ts";
import { loadChart, locateChart } from "./chart.ts";
import { findRelease, readRelease, type DeployedRelease } from "./deployedRelease.ts";
import { HelmError, type HelmCommand } from "./helmCommand.ts";
import { installOptions, timeoutOption, upgradeOptions } from "./helmOptions.ts";
import { releaseChanges } from "./releaseChanges.ts";
import { checkpoint, checkpointedInputs, fullName } from "./releaseState.ts";
import {
  containsUnknown,
  decodeRelease,
  refuseUnsupportedInputs,
  remarkUnknown,
  type ReleaseFields,
} from "./releaseFields.ts";
import { readUnreachable, unreachableError } from "./unreachable.ts";

export const helmReleaseType = "kubernetes:helm.sh/v3:Release";

const defaultTimeoutSeconds = 300;
const replacingFields: readonly (string | number | undefined)[] = ["name", "namespace"];

export interface HelmReleaseSettings {
  /** Of the program: what `./chart` is relative to. */
  folder: string;
  defaultNamespace: string;
  /** `--kubeconfig`, `--kube-context`: what every command is told. */
  clusterOptions: string[];
  /** Why no cluster can be reached, if that is known beforehand. */
  unreachable: string | undefined;
  log: (line: Pick<LogLine, "severity" | "message" | "urn">) => void;
}

export class HelmReleaseProvider implements Provider {
  #helm: HelmCommand;
  #settings: HelmReleaseSettings;

  constructor(helm: HelmCommand, settings: HelmReleaseSettings) {
    this.#helm = helm;
    this.#settings = settings;
  }

  async check(urn: string, olds: PropertyMap, news: PropertyMap): Promise<Checked> {
    refuseUnsupportedInputs(news);
    const completed = this.#withDefaults(urn, olds, news);
    const release = decodeRelease(completed);
    const failures = [];
    if (!containsUnknown(completed)) {
      try {
        release.version = await loadChart(this.#helm, release, this.#settings.folder);
      } catch (error) {
        if (!(error instanceof HelmError)) throw error;
        const reason = `${error.message}; check the chart name and repository configuration.`;
        failures.push({ property: "chart", reason });
      }
    }
    return { inputs: remark(remarkUnknown(release, news), news), failures };
  }

  #withDefaults(urn: string, olds: PropertyMap, news: PropertyMap): PropertyMap {
    const completed = { ...news };
    if (completed["name"] === undefined && olds["name"] !== undefined) completed["name"] = olds["name"];
    if (isBlank(completed["name"])) {
      completed["name"] = `${parseUrn(urn).name}-${randomBytes(4).toString("hex")}`;
    }
    if (isBlank(completed["namespace"])) completed["namespace"] = this.#settings.defaultNamespace;
    const waits = completed["skipAwait"] === undefined || completed["skipAwait"] === false;
    if (waits && completed["timeout"] === undefined) completed["timeout"] = defaultTimeoutSeconds;
    return completed;
  }

  diff(old: StoredResource, _urn: string, news: PropertyMap, ignoreChanges: string[]): Promise<ProviderDiff> {
    const wanted = plainMap(news);
    const state = plainMap(old.outputs);
    if (ignoreChanges.includes("version")) wanted["version"] = state["version"] ?? null;
    const paths = releaseChanges(plainMap(checkpointedInputs(old.outputs) ?? {}), wanted, state);
    return Promise.resolve({
      changes: paths.length > 0,
      paths,
      replaces: paths.filter(([key]) => replacingFields.includes(key)).map(String),
      deleteBeforeReplace: false,
    });
  }

  async create(urn: string, inputs: PropertyMap): Promise<ProviderState> {
    const release = decodeRelease(inputs);
    const { unreachable } = this.#settings;
    if (unreachable) throw unreachableError("create", unreachable);
    const id = fullName(release);
    try {
      const json = await this.#helm.run(
        ["install", release.name, ...this.#place(release), ...installOptions(release)],
        { values: release.values, cancellable: true },
      );
      return { id, outputs: checkpoint(inputs, release, readRelease(json)) };
    } catch (error) {
      if (!(error instanceof HelmError)) throw error;
      throw await this.#describeFailedInstall(urn, inputs, release, error);
    }
  }

  /** A release that was recorded stays, and is a partial failure. */
  async #describeFailedInstall(
    urn: string,
    inputs: PropertyMap,
    release: ReleaseFields,
    error: HelmError,
  ): Promise<ProviderError> {
    const unreachable = readUnreachable(error);
    if (unreachable) return unreachableError("create", unreachable);
    if (error.message === "cannot re-use a name that is still in use") return error;
    const deployed = await this.#find(release).catch(() => undefined);
    if (!deployed) return error;
    const message = `Helm release "${release.name}" was created but has a failed status. Use the \`helm\` command to investigate the error, correct it, then retry. Reason: ${error.message}`;
    this.#settings.log({ severity: "warning", message, urn });
    const id = fullName(release);
    const reason = `Helm release "${id}" was created, but failed to initialize completely. Use Helm CLI to investigate: ${describeFailedRelease(release, error)}`;
    return ProviderError.unfinished({ id, outputs: checkpoint(inputs, release, deployed) }, [reason]);
  }

  async update(old: StoredResource, _urn: string, inputs: PropertyMap): Promise<ProviderState> {
    const release = decodeRelease(inputs);
    const { unreachable } = this.#settings;
    if (unreachable) throw unreachableError("update", unreachable);
    const before = await this.#find(release).catch(() => undefined);
    try {
      const json = await this.#helm.run(
        ["upgrade", release.name, ...this.#place(release), ...upgradeOptions(release)],
        { values: release.values, cancellable: true },
      );
      return { id: old.id ?? "", outputs: checkpoint(inputs, release, readRelease(json)) };
    } catch (error) {
      if (!(error instanceof HelmError)) throw error;
      throw await this.#describeFailedUpgrade(inputs, release, before, error);
    }
  }

  /** A revision that was recorded is a partial failure, also when it was rolled back since. */
  async #describeFailedUpgrade(
    inputs: PropertyMap,
    release: ReleaseFields,
    before: DeployedRelease | undefined,
    error: HelmError,
  ): Promise<ProviderError> {
    const unreachable = readUnreachable(error);
    if (unreachable) return unreachableError("update", unreachable);
    if (!before) return error;
    const revision = before.revision + 1;
    const tried = await this.#find(release, revision).catch(() => undefined);
    if (!tried) return error;
    const id = fullName(release);
    const reason = `Helm release "${id}" failed to initialize completely. Use Helm CLI to investigate: ${describeFailedRelease(release, error)}`;
    return ProviderError.unfinished({ id, outputs: checkpoint(inputs, release, tried) }, [reason]);
  }

  async read({
    urn,
    id = "",
    outputs,
  }: Pick<StoredResource, "urn" | "id" | "inputs" | "outputs">): Promise<
    ProviderState & { inputs: PropertyMap }
  > {
    const inputs = checkpointedInputs(outputs);
    if (!inputs) throw new ProviderError("not supported by the test engine: import of a Release");
    const release = decodeRelease(outputs);
    const deployed = await this.#findOrTell(urn, release);
    if (!deployed) return { id: "", outputs: {}, inputs: {} };
    return { id, outputs: checkpoint(inputs, release, deployed), inputs };
  }

  async #findOrTell(urn: string, release: ReleaseFields): Promise<DeployedRelease | undefined> {
    try {
      if (this.#settings.unreachable) throw new HelmError(this.#settings.unreachable);
      return await this.#find(release);
    } catch (error) {
      const reason = this.#settings.unreachable ?? readUnreachable(error);
      if (reason === undefined) throw error;
      const message = `configured Kubernetes cluster is unreachable: ${reason}`;
      this.#settings.log({ severity: "warning", message, urn });
      throw new ProviderError(
        'failed to read resource state due to unreachable cluster. If the cluster was deleted, you can remove this resource from Pulumi state by rerunning the operation with the PULUMI_K8S_DELETE_UNREACHABLE environment variable set to "true"',
      );
    }
  }

  async delete({ urn, outputs }: StoredResource): Promise<void> {
    const release = decodeRelease(outputs);
    const { unreachable } = this.#settings;
    if (unreachable) throw unreachableError("delete", unreachable);
    const waits = release.atomic || !release.skipAwait;
    try {
      const said = await this.#helm.run([
        "uninstall",
        release.name,
        ...this.#namespaceOptions(release),
        ...(waits ? ["--wait", ...timeoutOption(release)] : []),
      ]);
      const information = said.replace(/^release ".*" uninstalled$/m, "").trimEnd();
      if (information === "") return;
      const message = `Helm uninstall returned information: ${JSON.stringify(information)}`;
      this.#settings.log({ severity: "warning", message, urn });
    } catch (error) {
      const found = readUnreachable(error);
      throw found ? unreachableError("delete", found) : error;
    }
  }

  /** A release under way is then marked as failed. */
  cancel(): Promise<void> {
    this.#helm.cancel();
    return Promise.resolve();
  }

  stop = (): Promise<void> => this.#helm.stop();
  close = (): Promise<void> => Promise.resolve();

  #find(release: ReleaseFields, revision?: number): Promise<DeployedRelease | undefined> {
    return findRelease(this.#helm, release.name, this.#namespaceOptions(release), revision);
  }

  #place(release: ReleaseFields): string[] {
    return [...locateChart(release, this.#settings.folder), ...this.#namespaceOptions(release)];
  }

  #namespaceOptions({ namespace }: ReleaseFields): string[] {
    return ["--namespace", namespace, ...this.#settings.clusterOptions];
  }
}

const isBlank = (value: PropertyValue | undefined): boolean => value === undefined || value === "";

const describeFailedRelease = (release: ReleaseFields, { message }: HelmError): string =>
  `failed to become available within allocated timeout. Error: Helm Release ${release.namespace}/${release.name}: ${message}`;
