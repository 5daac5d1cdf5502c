import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { parse, parseAllDocuments } from "yaml";
import { KUBERNETES_VERSION } from "../programs/goPrograms.ts";
import { problemsIn } from "./kubernetesValidation.ts";
import { HELM } from "./neededPrograms.ts";

export const CHART = join(import.meta.dirname, "../../examples/self-hosted/chart");

export type Values = Record<string, unknown>;

interface Metadata {
  name: string;
  namespace: string;
  labels: Record<string, string>;
  annotations?: Record<string, string>;
}

interface Container {
  name: string;
  image: string;
  env: { name: string; value: string }[];
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
  securityContext: unknown;
  resources: unknown;
  args?: string[];
}

interface Volume {
  name: string;
  emptyDir?: unknown;
  image?: { reference: string; pullPolicy: string };
  configMap?: { items?: { key: string; path: string }[] };
}

interface PodTemplate {
  metadata: Metadata;
  spec: {
    /** Also missing when no export is served. */
    initContainers: Container[];
    containers: Container[];
    volumes: Volume[];
    terminationGracePeriodSeconds: number;
    securityContext: Record<string, unknown>;
    affinity?: unknown;
    topologySpreadConstraints?: Record<string, unknown>[];
  };
}

/** The fields that tests read, of all kinds together; whether all fields of a manifest are right is tested on a cluster. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
  data: Record<string, string>;
  spec: {
    template: PodTemplate;
    selector: Record<string, unknown>;
    podSelector: Record<string, unknown>;
    ingress: { from?: unknown[] }[];
    egress: { ports: unknown; to?: unknown[] }[];
  };
}

export interface HelmResult {
  code: number | null;
  stdout: string;
  /** A user's view: both streams. */
  output: string;
}

/** Runs helm with the values on its standard input (`--values -`). */
export async function helm(args: readonly string[], values: Values = {}): Promise<HelmResult> {
  const child = spawn(HELM, [...args, "--values", "-"], { stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.end(JSON.stringify(values));
  const exited = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, stdout, output: stdout + stderr };
}

/**
 * Rendering reads no cluster, so that Helm gets the answers of one; of a repeated argument, the last counts.
 *
 * @throws when Helm renders what the API server of Kubernetes would refuse
 */
export async function template(values: Values, ...more: string[]): Promise<HelmResult> {
  const result = await templateUnjudged(values, ...more);
  const problems = result.code === 0 ? await problemsIn(result.stdout) : [];
  if (problems.length > 0) throw new Error(`Kubernetes refuses the objects:\n${problems.join("\n")}`);
  return result;
}

/** As {@link template}, of values that Kubernetes itself has to refuse. */
export function templateUnjudged(values: Values, ...more: string[]): Promise<HelmResult> {
  return helm(["template", "docs", CHART, "--kube-version", KUBERNETES_VERSION, ...more], values);
}

/**
 * The notes that helm prints after an installation. It renders them only on a cluster, so here a copy of the chart has them in a
 * manifest.
 */
export async function notes(values: Values): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), "chart-"));
  try {
    await cp(CHART, copy, { recursive: true });
    const text = await readFile(join(CHART, "templates/NOTES.txt"), "utf8");
    await writeFile(join(copy, "templates/_notes.tpl"), `{{ define "notes" }}${text}{{ end }}`);
    await writeFile(
      join(copy, "templates/notes.yaml"),
      `kind: Notes\ntext: |\n  {{- include "notes" . | nindent 2 }}\n`,
    );
    const args = ["--kube-version", KUBERNETES_VERSION, "--show-only", "templates/notes.yaml"];
    const { code, stdout, output } = await helm(["template", "docs", copy, ...args], values);
    if (code !== 0) throw new Error(output);
    return (parse(stdout) as { text: string }).text;
  } finally {
    await rm(copy, { recursive: true });
  }
}

/** The objects of an installation with these values. */
export async function render(values: Values, ...more: string[]): Promise<Manifest[]> {
  const { code, stdout, output } = await template(values, ...more);
  if (code !== 0) throw new Error(output);
  return manifestsIn(stdout);
}

/** @throws when a document is no YAML */
export function manifestsIn(stdout: string): Manifest[] {
  return parseAllDocuments(stdout)
    .map((document) => {
      if (document.errors[0]) throw document.errors[0];
      return document.toJS() as Manifest | null;
    })
    .filter((manifest) => manifest !== null);
}

/** The kinds of manifests, sorted. */
export const kindsOf = (manifests: readonly Manifest[]): string[] => manifests.map(({ kind }) => kind).sort();

/** The one manifest of a kind; of Services, the one that readers use. */
export function only(manifests: readonly Manifest[], kind: string): Manifest {
  const [found, ...more] = manifests.filter(
    (manifest) => manifest.kind === kind && !(kind === "Service" && manifest.metadata.name.endsWith("-pods")),
  );
  if (!found || more.length > 0) throw new Error(`expected one ${kind}, found ${found ? "more" : "none"}`);
  return found;
}

export const podTemplate = (manifests: readonly Manifest[]): PodTemplate =>
  only(manifests, "Deployment").spec.template;

/** The pod of `helm test`. */
export const testPod = (manifests: readonly Manifest[]): PodTemplate["spec"] =>
  only(manifests, "Pod").spec as unknown as PodTemplate["spec"];

/** Writes the files of the chart's ConfigMap into a folder, as the pods have them in `/etc/docs-server`. */
export function mountConfiguration(manifests: readonly Manifest[], folder: string): void {
  const { data } = only(manifests, "ConfigMap");
  const { volumes } = only(manifests, "Deployment").spec.template.spec;
  const mounted = volumes.find(({ name }) => name === "configuration")?.configMap?.items ?? [];
  for (const { key, path } of mounted) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), data[key] ?? "");
  }
}

export async function readChartYaml(name: string): Promise<Values> {
  return parse(await readFile(join(CHART, name), "utf8")) as Values;
}

/** The selector of the pods. */
export const SELECTOR = { "app.kubernetes.io/name": "docs-server", "app.kubernetes.io/instance": "docs" };

/** An Ingress and a certificate authority, which are off by default. */
export const EVERYTHING: Values = {
  ingress: { enabled: true, hosts: ["docs.example.com"] },
  fetch: { certificateAuthority: { configMap: "our-ca" } },
};

/** An image of a site. */
export const SITE_IMAGE = `registry.example.com/docs/site@sha256:${"5f".repeat(32)}`;

/**
 * Values of an installation whose site is in an image: `siteImage`, or `siteVolume.image` where the values say that the cluster
 * has it.
 */
export function servingImage(mode: "siteImage" | "volume", more: Values = {}): Values {
  const staticExport = { enabled: true, version: "v1", jobId: "7f3a" };
  return mode === "siteImage"
    ? { ...more, staticExport, siteImage: SITE_IMAGE }
    : { ...more, staticExport, siteVolume: { image: SITE_IMAGE, featureGate: true } };
}

/** Values of an installation that serves an export by its link. */
export function serving(more: Values = {}, staticExport: Values = {}): Values {
  return {
    ...more,
    staticExport: {
      enabled: true,
      bundleUrl: "https://store.example.com/bundle.tar.gz?signature=CANARY-of-the-link",
      version: "v1",
      ...staticExport,
    },
  };
}
