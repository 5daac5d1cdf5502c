import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { TestContext } from "vitest";
import { type InterceptorReply, startReferenceService } from "../../examples/reference-service/index.ts";
import { type EngineKind, openStack, type StackSettings } from "../engine/index.ts";
import { recordedStack } from "../engine/recordedStack.ts";
import { findCommand } from "../programs/commands.ts";
import { kubectlIn, type KubernetesObject, list } from "./kubectl.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The admin API key. Must not appear anywhere. */
export const CANARY_KEY = "svc_c4n4ry-cluster-k3y";
/** Limit of waits for the cluster. */
const WAIT_LIMIT_MS = 120_000;
const DOMAIN = "docs.example.com";
/** A link lives for an hour by default. */
const LINK_LIFETIME_MS = 3_600_000;
/** Life of a link that is renewed within a test: pods can start within half of it. */
export const SHORT_LINK_LIFETIME_MS = 120_000;

export type Installation = Awaited<ReturnType<typeof buildInstallation>>;

export interface InstallationOptions {
  /** Folder of Markdown. @default a folder with one page, see `writeStartPage` */
  site?: string;
  /** Values of the chart, in addition to those that the cluster needs. */
  values?: Record<string, unknown>;
  config?: Record<string, string>;
  /** Environment of the operations, in addition to the service's. */
  env?: Record<string, string | undefined>;
  linkLifetimeMs?: number;
  jobDurationMs?: number | (() => number);
  /** The pods run an image of the site. @default they fetch the site */
  servesImage?: boolean;
  /** Folder of the program. @default the example itself */
  program?: string;
}

/** The real plugin where the CLI has it, else the test engine with `helm` in its place. */
function clusterEngine(): EngineKind {
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

/**
 * Values that this cluster needs: its web image, links without TLS, because the tests' service has none, and short pauses.
 *
 * @param servesImage the pods fetch nothing
 */
export function clusterValues(servesImage = false): Record<string, unknown> {
  const image = process.env["CLUSTER_WEB_IMAGE"];
  const colon = image?.lastIndexOf(":") ?? -1;
  return {
    ...(image !== undefined && {
      image: { repository: image.slice(0, colon), tag: image.slice(colon + 1), pullPolicy: "IfNotPresent" },
    }),
    ...(!servesImage && { fetch: { allowHttp: true } }),
    readinessProbe: { periodSeconds: 1 },
  };
}

/** The self-hosted example on the cluster, in its own namespace. Removed when the test ends. */
export async function buildInstallation(
  context: Pick<TestContext, "onTestFinished">,
  options: InstallationOptions = {},
) {
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
  const linkLifetimeMs = options.linkLifetimeMs ?? LINK_LIFETIME_MS;
  let aheadMs = 0;
  const service = await startReferenceService({
    sites: { [DOMAIN]: siteFolder },
    adminApiKey: CANARY_KEY,
    host: hostAddress(),
    now: () => Date.now() + aheadMs,
    linkLifetimeMs,
    jobDurationMs: options.jobDurationMs ?? 0,
  });
  const values = { ...clusterValues(options.servesImage), ...options.values };
  await kubectl("create", "namespace", namespace);
  // the cluster itself refuses pods that are not «restricted»
  await kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
  const texts: string[] = [];
  const kind = clusterEngine();
  /** Opens another stack of the same backend and service. */
  const open = async (settings: Pick<StackSettings, "program" | "project" | "stack" | "config" | "env">) =>
    recordedStack(
      await openStack(kind, {
        stateFolder: join(folder, "state"),
        passphrase: "correct horse",
        ...settings,
        config: { "docs-hosting:allowInsecure": "true", ...settings.config },
        env: {
          DOCS_HOSTING_BASE_URL: service.url,
          DOCS_HOSTING_ADMIN_API_KEY: CANARY_KEY,
          ...settings.env,
        },
      }),
      texts,
    );
  const stack = await open({
    program: options.program ?? join(ROOT, "examples/self-hosted/index.ts"),
    project: "self-hosted-docs",
    stack: "test",
    config: {
      domain: DOMAIN,
      namespace,
      values: JSON.stringify(values),
      ...options.config,
    },
    ...(options.env && { env: options.env }),
  });
  context.onTestFinished(async () => {
    await kubectl("delete", "namespace", namespace, "--wait=false");
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  const listOwn = (kind: string) => list(kubectl, kind, "--selector=app.kubernetes.io/instance=docs");
  const address = async () => {
    const [web] = await listOwn("services");
    const { clusterIP, ports } = web?.spec as { clusterIP: string; ports: { port: number }[] };
    return new URL(`http://${clusterIP}:${ports[0]?.port ?? 80}/`).href;
  };
  /** Address of the installation's Service, as soon as it answers: the node's rules for it are slightly late. */
  const url = async () => {
    const found = await address();
    const answers = () =>
      fetch(found).then(
        (response) => response.text().then(() => true),
        () => false,
      );
    await until("the Service answers", answers);
    return found;
  };
  /** Whether the start page contains this, through the Service. */
  const says = async (text: string) => {
    const page = await address()
      .then(fetch)
      .then(
        (response) => response.text(),
        () => "",
      );
    return page.includes(text);
  };
  return {
    namespace,
    /** The values of the first installation. */
    values,
    kubectl,
    service,
    stack,
    open,
    url,
    says,
    /** From now on, answers downloads of bundles with this, except for these jobs. Returns a function that ends it. */
    spoilDownloads: (reply: InterceptorReply, spared: readonly string[] = []) =>
      service.intercept(({ path }) =>
        path.startsWith("/bundles/") && !spared.some((jobId) => path.includes(jobId)) ? reply : undefined,
      ),
    /** Makes the service treat all links so far as ended. */
    endLinks: () => void (aheadMs += linkLifetimeMs),
    /** Writes the start page of the site for the next export. */
    writeStartPage,
    /** Values of the example's configuration; keys as in its README. */
    setConfig: async (values: Record<string, string>) => {
      for (const [name, value] of Object.entries(values)) await stack.setConfig(name, value);
    },
    /** `pulumi up` that must succeed. */
    up: async () => {
      const result = await stack.up();
      if (!result.ok) {
        const pods = await kubectl("describe", "pods");
        throw new Error(`up failed: ${String(result.error)}\n${result.text}\n${pods}`);
      }
      return result;
    },
    /** Waits until the start page contains this: a pod that is being replaced can still answer for a moment after `up`. */
    serves: (text: string) => until(`the start page says: ${text}`, () => says(text)),
    /** The link that the pods of the newest revision get. */
    link: async () => {
      const [deployment] = await listOwn("deployments");
      const { metadata } = (deployment?.spec as { template: KubernetesObject }).template;
      const content = metadata.annotations?.["docs-server/content"] ?? "";
      const link = (await listOwn("secrets")).flatMap(({ data }) => data?.[content] ?? [])[0];
      if (link === undefined) throw new Error("no Secret has the link");
      return Buffer.from(link, "base64").toString();
    },
    /** Waits until the next `up` renews the link, see {@link SHORT_LINK_LIFETIME_MS}. */
    linkIsDue: async () => {
      const exported = (await stack.exportState()).find(({ type }) => type.endsWith(":StaticExport"));
      const renewAfter = String(exported?.outputs["renewAfter"]);
      await until(`it is ${renewAfter}`, () => Promise.resolve(Date.now() >= Date.parse(renewAfter)));
    },
    /** Pods that are not being deleted. */
    pods: async () => (await listOwn("pods")).filter(({ metadata }) => !("deletionTimestamp" in metadata)),
    /** Waits until the wanted number of pods is ready, of any revision. */
    isReady: () =>
      until("the pods are ready", async () => {
        const [deployment] = await listOwn("deployments");
        const { replicas } = deployment?.spec as { replicas: number };
        const { readyReplicas = 0, observedGeneration } = deployment?.status as {
          readyReplicas?: number;
          observedGeneration: number;
        };
        return observedGeneration > 0 && readyReplicas >= replicas;
      }),
    /** All output of the operations. */
    shown: () => texts.join("\n"),
  };
}

/** Waits for a condition of the cluster, which no clock of the tests controls. */
export async function until<T>(
  what: string,
  poll: () => Promise<T | undefined | false>,
  limitMs = WAIT_LIMIT_MS,
): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const found = await poll();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`waited ${limitMs} ms until ${what}`);
    await wait(200);
  }
}
