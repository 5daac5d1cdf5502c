import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { parseAllDocuments } from "yaml";
import { KUBERNETES_VERSION } from "../programs/goPrograms.ts";
import { helm, type HelmResult, type Values } from "./renderedChart.ts";

export const FLEET = join(import.meta.dirname, "../../examples/fleet");

/** The chart requires an image, without a default. */
export const IMAGE: Values = { image: { repository: "registry.example.com/docs-fleet", tag: "1" } };

/** The fields that tests read, of all kinds together. */
export interface FleetManifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> };
  data: Record<string, string>;
  rules: { resources: string[]; verbs: string[] }[];
  subjects: { name: string; namespace: string }[];
  roleRef: { kind: string; name: string };
  spec: Record<string, unknown>;
}

export interface Pod {
  metadata: { annotations: Record<string, string> };
  spec: {
    serviceAccountName?: string;
    securityContext: Record<string, unknown>;
    initContainers: Container[];
    containers: Container[];
    volumes: { name: string; persistentVolumeClaim?: { claimName: string }; configMap?: { name: string } }[];
    [field: string]: unknown;
  };
}

export interface Container {
  name: string;
  image?: string;
  command?: string[];
  env?: { name: string; value: string }[];
  envFrom?: unknown[];
  resources?: unknown;
  securityContext?: unknown;
  lifecycle?: { postStart: { exec: { command: string[] } } };
  volumeMounts?: { name: string; mountPath: string }[];
}

/** A file with this number of sites. */
export const sitesFile = (count: number): string =>
  JSON.stringify({
    sites: Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`site-${index + 1}`, { domain: "docs.example.com" }]),
    ),
  });

/** A copy of the example whose files of sites are these, by name. Removed when the test ends. */
export async function fleetOf(
  context: Pick<TestContext, "onTestFinished">,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "fleet-"));
  context.onTestFinished(() => rm(folder, { recursive: true }));
  await cp(FLEET, folder, { recursive: true, filter: (path) => !/[/\\](node_modules|sites)$/.test(path) });
  await mkdir(join(folder, "sites"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, "sites", name), text);
  return folder;
}

/** Rendered as an installation into a namespace, whose name is the team. */
export function templateFleet(
  chart: string,
  values: Values = {},
  namespace = "team-a",
  ...more: string[]
): Promise<HelmResult> {
  const args = ["--namespace", namespace, "--kube-version", KUBERNETES_VERSION, ...more];
  return helm(["template", "docs-fleet", chart, ...args], { ...IMAGE, ...values });
}

export async function renderFleet(...args: Parameters<typeof templateFleet>): Promise<FleetManifest[]> {
  const { code, stdout, output } = await templateFleet(...args);
  if (code !== 0) throw new Error(output);
  return parseAllDocuments(stdout)
    .map((document) => {
      if (document.errors[0]) throw document.errors[0];
      return document.toJS() as FleetManifest | null;
    })
    .filter((manifest) => manifest !== null);
}

export const ofKind = (manifests: readonly FleetManifest[], kind: string): FleetManifest[] =>
  manifests.filter((manifest) => manifest.kind === kind);

export interface StackSpec {
  stack: string;
  serviceAccountName: string;
  config: Record<string, string>;
  updateTemplate: { spec: Record<string, unknown> };
  workspaceTemplate: { spec: Record<string, unknown> & { podTemplate: Pod; env: { name: string }[] } };
  [field: string]: unknown;
}

export const specOf = (stack: FleetManifest | undefined): StackSpec => stack?.spec as unknown as StackSpec;
export const namesOf = (manifests: readonly FleetManifest[], kind: string): string[] =>
  ofKind(manifests, kind).map(({ metadata }) => metadata.name);

export async function firstStack(values: Values = {}): Promise<StackSpec> {
  return specOf(ofKind(await renderFleet(FLEET, values), "Stack")[0]);
}

export async function podOfStack(values: Values = {}): Promise<Pod> {
  return (await firstStack(values)).workspaceTemplate.spec.podTemplate;
}

export async function podOfCronJob(values: Values = {}): Promise<{ job: Record<string, unknown>; pod: Pod }> {
  const manifests = await renderFleet(FLEET, { engine: "cronjob", ...values });
  const spec = ofKind(manifests, "CronJob")[0]?.spec as {
    jobTemplate: { spec: Record<string, unknown> & { template: Pod } };
  };
  return { job: spec.jobTemplate.spec, pod: spec.jobTemplate.spec.template };
}
