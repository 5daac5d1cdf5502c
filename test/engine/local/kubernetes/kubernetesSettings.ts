// What a provider of package kubernetes is told, explicitly or by the stack's configuration.
import { isDeepStrictEqual } from "node:util";
import { unknownValue } from "../../stack.ts";
import { plainMap, type PropertyMap } from "../propertyValues.ts";
import { readKubeconfig } from "./kubeconfig.ts";

export interface KubernetesSettings {
  kubeconfig?: string;
  context?: string;
  namespace?: string;
}

const known = ["kubeconfig", "context", "namespace"] as const;
const packagePrefix = "kubernetes:";

export function readSettings(inputs: PropertyMap): KubernetesSettings {
  const settings: KubernetesSettings = {};
  for (const key of known) {
    const value = plainMap(inputs)[key];
    if (typeof value === "string" && value !== "" && value !== unknownValue) settings[key] = value;
  }
  return settings;
}

/** Settings that this stand-in doesn't carry out. What is off counts as not set. */
export const unsupportedSettings = (inputs: PropertyMap): string[] =>
  Object.entries(plainMap(inputs))
    .filter(([key]) => key !== "version" && !(known as readonly string[]).includes(key))
    .filter(([, value]) => value !== null && value !== "" && value !== false && value !== "false")
    .map(([key]) => key);

/** Of the whole stack configuration, what is for the default provider. */
export const defaultProviderInputs = (config: PropertyMap): PropertyMap =>
  Object.fromEntries(
    Object.entries(config)
      .filter(([name]) => name.startsWith(packagePrefix))
      .map(([name, value]) => [name.slice(packagePrefix.length), value]),
  );

/**
 * Which changes mean another cluster, in which everything must be made anew: nobody can tell for sure, so those that
 * change what the kubeconfig says of its cluster.
 */
export function replacingKeys(olds: PropertyMap, news: PropertyMap): string[] {
  const keys = ["kubeconfig", "context"] as const;
  const plainNews = plainMap(news);
  const unknown = keys.filter((key) => plainNews[key] === unknownValue);
  if (unknown.length > 0) return unknown;
  const [before, after] = [activeCluster(olds), activeCluster(news)];
  if (before === undefined || after === undefined || isDeepStrictEqual(before, after)) return [];
  return keys.filter((key) => !isDeepStrictEqual(plainMap(olds)[key], plainNews[key]));
}

function activeCluster(inputs: PropertyMap): unknown {
  const { kubeconfig, context } = readSettings(inputs);
  return kubeconfig === undefined ? undefined : readKubeconfig(kubeconfig, context).cluster;
}
