// The inputs of a Release that are supported, as arguments of the `helm` command.
import { resolve } from "node:path";
import type { PropertyMap } from "../propertyValues.ts";

export interface ReleaseInputs {
  /** A path if it begins with a dot or is absolute, else a published chart. */
  chart: string;
  name: string;
  namespace: string;
  createNamespace?: boolean;
  description?: string;
  maxHistory?: number;
  repositoryOpts?: { repo?: string };
  skipAwait?: boolean;
  /** In seconds. */
  timeout?: number;
  values?: PropertyMap;
  version?: string;
}

const carriedOut: Record<keyof ReleaseInputs, "required" | "optional"> = {
  chart: "required",
  name: "required",
  namespace: "required",
  createNamespace: "optional",
  description: "optional",
  maxHistory: "optional",
  repositoryOpts: "optional",
  skipAwait: "optional",
  timeout: "optional",
  values: "optional",
  version: "optional",
};

/** Names of given inputs that are not supported, and of missing inputs that are not generated. */
export function unsupportedInputs(inputs: PropertyMap): string[] {
  const isOff = (key: string) => [undefined, null, false, ""].includes(inputs[key] as undefined);
  const repositoryOpts = Object.keys((inputs["repositoryOpts"] ?? {}) as PropertyMap);
  return [
    // the SDK's own mark is `compat`
    ...Object.keys(inputs).filter((key) => !(key in carriedOut) && key !== "compat" && !isOff(key)),
    ...repositoryOpts.filter((key) => key !== "repo").map((key) => `repositoryOpts.${key}`),
    ...Object.entries(carriedOut)
      .filter(([key, need]) => need === "required" && isOff(key))
      .map(([key]) => `no ${key}`),
  ];
}

/** The arguments after `helm install NAME` or `helm upgrade NAME`, without the values. */
export function installArguments(
  command: "install" | "upgrade",
  release: ReleaseInputs,
  folder: string,
): string[] {
  const { chart, version, repositoryOpts, namespace, description, timeout, maxHistory } = release;
  const isPath = chart.startsWith(".") || chart.startsWith("/");
  return [
    isPath ? resolve(folder, chart) : chart,
    ...["--namespace", namespace],
    ...(version ? ["--version", version] : []),
    ...(repositoryOpts?.repo ? ["--repo", repositoryOpts.repo] : []),
    ...(description ? ["--description", description] : []),
    ...(timeout ? ["--timeout", `${timeout}s`] : []),
    ...(release.skipAwait ? [] : ["--wait"]),
    ...(command === "install" && release.createNamespace ? ["--create-namespace"] : []),
    ...(command === "upgrade" ? ["--history-max", String(maxHistory ?? 0)] : []), // 0 is «without end»
  ];
}
