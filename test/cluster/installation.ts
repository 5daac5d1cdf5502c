import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { TestContext } from "vitest";
import { startReferenceService, type ReferenceService } from "../../examples/reference-service/index.ts";
import { openStack, type EngineKind, type OperationResult, type Stack } from "../engine/index.ts";
import { recordedStack } from "../engine/recordedStack.ts";
import { startBundleStore, type BundleStore } from "./bundleStore.ts";
import { kubectlIn, list, type Kubectl, type KubernetesObject } from "./kubectl.ts";
import { findCommand } from "../programs/commands.ts";

const ROOT = join(import.meta.dirname, "../..");
const EXAMPLE = join(ROOT, "examples/self-hosted");
export const CHART = join(EXAMPLE, "chart");

/** The admin API key. Must appear nowhere. */
export const CANARY_KEY = "svc_c4n4ry-cluster-k3y";
const DOMAIN = "docs.example.com";
const SECOND_MS = 1_000;
/** A link lives for an hour unless a test says otherwise. */
const LINK_LIFETIME_MS = 3_600 * SECOND_MS;
/** Life of a link that is renewed within a test: half of it is time enough for pods to start. */
export const SHORT_LINK_LIFETIME_MS = 120 * SECOND_MS;

/** The self-hosted example on the cluster, in a namespace of its own. Removed when the test ends. */
export interface Installation {
  readonly namespace: string;
  readonly kubectl: Kubectl;
  readonly service: ReferenceService;
  readonly store: BundleStore;
  readonly stack: Stack;
  readonly siteFolder: string;
  /** Writes the start page of the site: the next export has it. */
  writeStartPage(markdown: string): Promise<void>;
  /** Of the example's configuration; keys as in its README. */
  setConfig(values: Record<string, string>): Promise<void>;
  /** `pulumi up` that has to go well. */
  up(): Promise<OperationResult>;
  /** Address of the installation's Service. */
  url(): Promise<string>;
  /** Text of the start page, through the Service. */
  startPage(): Promise<string>;
  /** Waits until the start page says this: a pod that is being replaced can still answer for a moment after `up`. */
  serves(text: string): Promise<void>;
  /** The link that the pods are given. */
  link(): Promise<string>;
  /** Waits until the next `up` renews the link, see {@link SHORT_LINK_LIFETIME_MS}. */
  linkIsDue(): Promise<void>;
  /** Pods that are not being deleted. */
  pods(): Promise<KubernetesObject[]>;
  /** Everything that the operations have shown. */
  shown(): string;
}

export interface InstallationOptions {
  /** Folder of Markdown. @default a folder with one page, see `writeStartPage` */
  site?: string;
  /** For the chart, on top of what the cluster needs. */
  values?: Record<string, unknown>;
  config?: Record<string, string>;
  linkLifetimeMs?: number;
  jobDurationMs?: number;
  /** Folder of the program. @default the example itself */
  program?: string;
}

/** The real plugin where the CLI has it, else the test engine with `helm` in its place. */
export function clusterEngine(): EngineKind {
  const forced = process.env["ENGINE"];
  if (forced === "local" || forced === "cli") return forced;
  return findCommand("pulumi") && findCommand("pulumi-resource-kubernetes") ? "cli" : "local";
}

/** Address of this machine, as the pods see it. */
export function hostAddress(): string {
  const address = process.env["CLUSTER_HOST_ADDRESS"];
  if (address === undefined) {
    throw new Error(
      "Set CLUSTER_HOST_ADDRESS to the address at which the cluster's pods reach this machine.",
    );
  }
  return address;
}

/** Values that this cluster needs: its web image, and links without TLS, as the tests' service has none; and haste. */
export function clusterValues(): Record<string, unknown> {
  const image = process.env["CLUSTER_WEB_IMAGE"];
  const colon = image?.lastIndexOf(":") ?? -1;
  return {
    ...(image !== undefined && {
      image: { repository: image.slice(0, colon), tag: image.slice(colon + 1), pullPolicy: "IfNotPresent" },
    }),
    fetch: { allowHttp: true },
    readinessProbe: { periodSeconds: 1 },
  };
}

export async function buildInstallation(
  context: Pick<TestContext, "onTestFinished">,
  options: InstallationOptions = {},
): Promise<Installation> {
  const namespace = `docs-${randomBytes(4).toString("hex")}`;
  const kubectl = kubectlIn(namespace);
  await mkdir(join(ROOT, ".work"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, ".work/cluster-"));
  const siteFolder = options.site ?? join(folder, "site");
  const writeStartPage = (markdown: string) => writeFile(join(siteFolder, "index.md"), markdown);
  if (options.site === undefined) {
    await mkdir(siteFolder);
    await writeStartPage("# Welcome\n\nThe first edition.\n");
  }
  const store = await startBundleStore(hostAddress());
  const service = await startReferenceService({
    sites: { [DOMAIN]: siteFolder },
    adminApiKey: CANARY_KEY,
    host: hostAddress(),
    publicUrl: store.url,
    linkLifetimeMs: options.linkLifetimeMs ?? LINK_LIFETIME_MS,
    jobDurationMs: options.jobDurationMs ?? 0,
  });
  store.passOnTo(service.url);
  await kubectl("create", "namespace", namespace);
  // the cluster itself refuses pods that are not «restricted»
  await kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  const kind = clusterEngine();
  const texts: string[] = [];
  const opened = await openStack(kind, {
    program: options.program ?? join(EXAMPLE, "index.ts"),
    project: "self-hosted-docs",
    stack: "test",
    stateFolder: join(folder, "state"),
    passphrase: "correct horse",
    config: {
      domain: DOMAIN,
      namespace,
      values: JSON.stringify(mergeDeep(clusterValues(), options.values ?? {})),
      "docs-hosting:allowInsecure": "true",
      ...options.config,
    },
    env: { DOCS_HOSTING_BASE_URL: service.url, DOCS_HOSTING_ADMIN_API_KEY: CANARY_KEY },
  });
  context.onTestFinished(async () => {
    await kubectl("delete", "namespace", namespace, "--wait=false");
    await Promise.all([service.close(), store.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const stack = recordedStack(opened, texts);
  const url = async () => {
    const [web] = await list(kubectl, "services", "--selector=app.kubernetes.io/instance=docs");
    const { clusterIP, ports } = web?.spec as { clusterIP: string; ports: { port: number }[] };
    return new URL(`http://${clusterIP}:${ports[0]?.port ?? 80}/`).href;
  };
  const startPage = async () => (await fetch(await url())).text();
  return {
    namespace,
    kubectl,
    service,
    store,
    stack,
    siteFolder,
    writeStartPage,
    setConfig: async (values) => {
      for (const [name, value] of Object.entries(values)) await stack.setConfig(name, value);
    },
    up: async () => {
      const result = await stack.up();
      if (!result.ok) {
        const pods = await kubectl("describe", "pods");
        throw new Error(`up failed: ${String(result.error)}\n${result.text}\n${pods}`);
      }
      return result;
    },
    url,
    startPage,
    serves: async (text) => {
      await until(`the start page says: ${text}`, async () =>
        (await startPage().catch(() => "")).includes(text),
      );
    },
    link: async () => {
      const secrets = await list(kubectl, "secrets", "--selector=app.kubernetes.io/instance=docs");
      const link = secrets.flatMap(({ data }) => data?.["bundleUrl"] ?? [])[0];
      if (link === undefined) throw new Error("no Secret has the link");
      return Buffer.from(link, "base64").toString();
    },
    linkIsDue: async () => {
      const exported = (await stack.exportState()).find(({ type }) => type.endsWith(":StaticExport"));
      const renewAfter = String(exported?.outputs["renewAfter"]);
      await until(`it is ${renewAfter}`, () => Promise.resolve(Date.now() >= Date.parse(renewAfter)));
    },
    pods: async () => {
      const pods = await list(kubectl, "pods", "--selector=app.kubernetes.io/instance=docs");
      return pods.filter(({ metadata }) => !("deletionTimestamp" in metadata));
    },
    shown: () => texts.join("\n"),
  };
}

/** Waits for something in the cluster, which no clock of the tests governs. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  limitMs = 120 * SECOND_MS,
): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`waited ${limitMs / SECOND_MS} s until ${what}`);
    await wait(200);
  }
}

function mergeDeep(below: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...below };
  for (const [key, value] of Object.entries(over)) {
    const old = merged[key];
    merged[key] = isRecord(old) && isRecord(value) ? mergeDeep(old, value) : value;
  }
  return merged;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
