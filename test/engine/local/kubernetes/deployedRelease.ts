// A release as it is in the cluster, as `helm` tells of it.
import type { PropertyMap } from "../propertyValues.ts";
import { yaml } from "../wire.ts";
import { HelmError, type HelmCommand } from "./helmCommand.ts";

export interface DeployedRelease {
  name: string;
  namespace: string;
  revision: number;
  status: string;
  chart: { name: string; version: string; appVersion: string };
  values: PropertyMap;
  manifest: string;
}

/** What `helm install`, `upgrade` and `status` print with `-o json`. */
interface ReleaseDocument {
  name: string;
  namespace: string;
  version: number;
  info: { status: string };
  config?: PropertyMap;
  manifest: string;
  chart?: { metadata: { name: string; version: string; appVersion?: string } };
}

interface MetadataDocument {
  chart: string;
  version: string;
  appVersion?: string;
}

/** @returns `undefined` when there is none */
export async function findRelease(
  helm: HelmCommand,
  name: string,
  options: string[],
  revision?: number,
): Promise<DeployedRelease | undefined> {
  const which = [name, ...options, ...(revision === undefined ? [] : ["--revision", String(revision)])];
  try {
    const document = JSON.parse(await helm.run(["status", ...which, "--output", "json"])) as ReleaseDocument;
    const metadata = JSON.parse(
      await helm.run(["get", "metadata", ...which, "--output", "json"]),
    ) as MetadataDocument;
    return readDocument({
      ...document,
      chart: { metadata: { ...metadata, name: metadata.chart } },
    });
  } catch (error) {
    if (error instanceof HelmError && error.message.includes("release: not found")) return undefined;
    throw error;
  }
}

export const readRelease = (json: string): DeployedRelease =>
  readDocument(JSON.parse(json) as ReleaseDocument);

const readDocument = ({ name, namespace, version, info, config, manifest, chart }: ReleaseDocument) => ({
  name,
  namespace,
  revision: version,
  status: info.status,
  chart: {
    name: chart?.metadata.name ?? "",
    version: chart?.metadata.version ?? "",
    appVersion: chart?.metadata.appVersion ?? "",
  },
  values: config ?? {},
  manifest,
});

/** «Kind.group/apiVersion» → names, with their namespace where the manifest has it. */
export function resourceNames(manifest: string): Record<string, string[]> {
  const names: Record<string, Set<string>> = {};
  for (const object of yaml.loadAll(manifest) as (ManifestObject | null | undefined)[]) {
    if (!object?.kind) continue;
    const { kind, apiVersion = "", metadata: { name = "", namespace } = {} } = object;
    const [group = ""] = apiVersion.includes("/") ? apiVersion.split("/") : [];
    const key = `${group ? `${kind}.${group}` : kind}/${apiVersion}`;
    (names[key] ??= new Set()).add(namespace ? `${namespace}/${name}` : name);
  }
  return Object.fromEntries(Object.entries(names).map(([key, set]) => [key, [...set].toSorted()]));
}

interface ManifestObject {
  kind?: string;
  apiVersion?: string;
  metadata?: { name?: string; namespace?: string };
}
