import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import {
  CHART,
  helm,
  type Manifest,
  manifestsIn,
  notes,
  only,
  render,
  serving,
  servingImage,
  SITE_IMAGE,
  type Values,
} from "./renderedChart.ts";
import { standInForCluster } from "./clusterStandIn.ts";
import { WebServer } from "./webServer.ts";

const LINK = "https://store.example.com/bundle.tar.gz?signature=CANARY-5f3a";
const EVERYTHING: Values = {
  ingress: { enabled: true, hosts: ["docs.example.com"] },
  fetch: { certificateAuthority: { configMap: "our-ca" } },
};

const NOTHING: Values = {};
const NO_LIMIT: Values = { "ephemeral-storage": null };

/** What the pods are found by. */
const SELECTOR = { "app.kubernetes.io/name": "docs-server", "app.kubernetes.io/instance": "docs" };

const podTemplate = (manifests: readonly Manifest[]) => only(manifests, "Deployment").spec.template;
const namesOf = (manifests: readonly Manifest[]) => manifests.map(({ kind }) => kind).sort();

describe("the link", () => {
  test.each([LINK, `${LINK}&a=1,2{x}[y]\\"'$(HOME)%20%&#`, `https://a/${"x".repeat(64_000)}`])(
    "is in the Secret byte for byte, and in nothing else: %.80s",
    async (bundleUrl) => {
      const manifests = await render(serving(EVERYTHING, { bundleUrl }));
      const secret = only(manifests, "Secret");
      const [link, ...more] = Object.values(secret.data);
      expect(more).toEqual([]);
      expect(Buffer.from(link ?? "", "base64").toString()).toBe(bundleUrl);
      const rest = JSON.stringify(manifests.filter((manifest) => manifest !== secret));
      expect(rest).not.toContain("CANARY");
      expect(rest).not.toContain("store.example.com");
      expect(rest).not.toContain(link);
    },
  );

  test("renewed changes the Secret and nothing else", async () => {
    const before = await render(serving(EVERYTHING, { bundleUrl: LINK }));
    const after = await render(serving(EVERYTHING, { bundleUrl: `${LINK}-renewed` }));
    const changed = after.filter(
      (manifest, index) => JSON.stringify(manifest) !== JSON.stringify(before[index]),
    );
    expect(namesOf(changed)).toEqual(["Secret"]);
  });

  test("is mounted as a folder that the kubelet renews, for the init container only", async () => {
    const { spec } = podTemplate(await render(serving()));
    const mount = { name: "static-export", mountPath: "/run/static-export", readOnly: true };
    expect(spec.initContainers[0]?.volumeMounts).toContainEqual(mount);
    expect(JSON.stringify(spec)).not.toMatch(/subPath|secretKeyRef|envFrom/);
    expect(JSON.stringify(spec.containers)).not.toContain("static-export");
  });

  test.each([
    ["https://a.example.com/x", 443],
    ["https://a.example.com:8443/x:1", 8443],
    ["http://a.example.com?x=a:9", 80],
    ["http://[::1]:4010/x", 4010],
    ["https://[fd00::1]/x", 443],
  ])("%s is let through the network policy, at port %s", async (bundleUrl, port) => {
    const policy = only(
      await render(serving({ fetch: { allowHttp: true } }, { bundleUrl })),
      "NetworkPolicy",
    );
    expect(policy.spec.egress[1]?.ports).toEqual([{ port, protocol: "TCP" }]);
  });
});

describe("the pods", () => {
  test.each([
    ["a new version", serving({}, { version: "v2" })],
    ["another job under the same version", serving({}, { jobId: "81bc" })],
    ["another digest under the same version", serving({ fetch: { sha256: "0".repeat(64) } })],
    ["another nginx configuration", serving({ web: { workerConnections: 9 + 16 } })],
    ["export turned off", {}],
  ])("are rolled by %s", async (_, values) => {
    expect(podTemplate(await render(values))).not.toEqual(podTemplate(await render(serving())));
  });

  test("find the link under the identity of their content, which a renewal does not change", async () => {
    const contents = await Promise.all(
      [
        serving({}, { version: "a", jobId: "b" }),
        serving({}, { version: "a", jobId: "b", bundleUrl: `${LINK}-renewed` }),
        serving({}, { version: "ab" }),
        serving({}, { version: undefined, jobId: "ab" }),
      ].map(async (values) => {
        const manifests = await render(values);
        const { metadata, spec } = podTemplate(manifests);
        const id = metadata.annotations?.["docs-server/content"] ?? "";
        expect(id).toMatch(/^[0-9a-f]{16}$/);
        expect(spec.initContainers[0]?.env).toContainEqual({ name: "CONTENT_ID", value: id });
        expect(Object.keys(only(manifests, "Secret").data)).toEqual([id]);
        return id;
      }),
    );
    expect(contents[1]).toBe(contents[0]);
    expect(new Set(contents).size).toBe(3);
  });

  test("know their version, whatever characters it has", async () => {
    const version = 'a $(HOME) $$ "b" \\ {{ c }} ü: # d';
    const { spec } = podTemplate(await render(serving({}, { version })));
    const variable = spec.initContainers[0]?.env.find(({ name }) => name === "EXPORT_VERSION");
    expect(expandedByKubernetes(variable?.value ?? "")).toBe(version);
  });

  test("are not restarted by a new version of the chart alone", async (context) => {
    const folder = await mkdtemp(join(tmpdir(), "chart-"));
    context.onTestFinished(() => rm(folder, { recursive: true }));
    await cp(CHART, folder, { recursive: true });
    const file = join(folder, "Chart.yaml");
    const bumped = (await readFile(file, "utf8")).replace(/^version: .*$/m, "version: 99.0.0");
    await writeFile(file, bumped.replace(/^appVersion: .*$/m, "appVersion: 99"));
    const { stdout } = await helm(["template", "docs", folder, "--kube-version", "1.34.2"], serving());
    expect(only(manifestsIn(stdout), "Deployment").metadata.labels).toMatchObject({
      "helm.sh/chart": "docs-server-99.0.0",
    });
    expect(podTemplate(manifestsIn(stdout))).toEqual(podTemplate(await render(serving())));
  });

  test("know the path of their site", async () => {
    const [nginx] = podTemplate(await render(serving({ web: { basePath: "/manual" } }))).spec.containers;
    expect(nginx?.env).toEqual([{ name: "BASE_PATH", value: "/manual" }]);
  });

  test("have the site where nginx's container can add to it, and its script", async () => {
    const { spec } = podTemplate(await render(serving()));
    const [nginx] = spec.containers;
    expect(nginx?.volumeMounts).toContainEqual({ name: "site", mountPath: "/site" });
    const configuration = spec.volumes.find(({ name }) => name === "configuration");
    expect(configuration?.configMap?.items).toContainEqual(expect.objectContaining({ path: "compress.sh" }));
  });

  test("have no need of a right: Pod Security «restricted»", async () => {
    const { spec } = podTemplate(await render(serving(EVERYTHING)));
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 101, seccompProfile: { type: "RuntimeDefault" } },
    });
    for (const container of [...spec.initContainers, ...spec.containers]) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      expect(container.resources).toMatchObject({
        requests: { memory: "64Mi", "ephemeral-storage": "1Gi" },
        limits: { memory: expect.stringMatching(/Mi$/) as string, "ephemeral-storage": "4Gi" },
      });
    }
    for (const volume of spec.volumes) {
      if (volume.emptyDir) expect(volume.emptyDir).toHaveProperty("sizeLimit");
      expect(volume).not.toHaveProperty("hostPath");
    }
  });

  test("have no fixed ids on OpenShift, which assigns them, and keep all else", async () => {
    const usual = podTemplate(await render(serving())).spec.securityContext;
    const { runAsUser, runAsGroup, fsGroup, ...rest } = usual;
    expect([runAsUser, runAsGroup, fsGroup]).toEqual([101, 101, 101]);
    const manifests = await render(serving({ openshift: true }));
    expect(podTemplate(manifests).spec.securityContext).toEqual(rest);
    expect(testPod(manifests).securityContext).toEqual(rest);
  });

  test.each([
    ["resources", serving({ resources: { limits: { "ephemeral-storage": "2.9Gi" } } })],
    ["fetch.resources", serving({ siteVolume: { sizeLimit: "4100Mi" }, resources: { limits: NO_LIMIT } })],
  ])("may use as much disk as their volume has: %s is refused", async (name, values) => {
    await expect(render(values)).rejects.toThrow(
      new RegExp(`\\b${name}.limits.ephemeral-storage \\(\\S+\\) is less than siteVolume.sizeLimit`),
    );
  });

  test("are spread among those of their own release, where Kubernetes can", async () => {
    for (const [version, keys] of [
      ["1.26.0", undefined],
      ["1.27.0", ["pod-template-hash"]],
    ] as const) {
      const { spec } = podTemplate(await render(serving(), "--kube-version", version));
      const [constraint] = spec.topologySpreadConstraints ?? [];
      expect(constraint?.["labelSelector"]).toEqual({ matchLabels: SELECTOR });
      expect(constraint?.["matchLabelKeys"]).toEqual(keys);
    }
  });

  test("are as many as the autoscaler says, once there is one", async () => {
    const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
    const autoscaling = { enabled: true, minReplicas: 3, behavior };
    const manifests = await render(serving({ autoscaling, replicas: 9 }));
    const deployment = only(manifests, "Deployment");
    expect(deployment.spec).not.toHaveProperty("replicas");
    expect(only(manifests, "HorizontalPodAutoscaler").spec).toMatchObject({
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: deployment.metadata.name },
      minReplicas: 3,
      maxReplicas: 6,
      behavior,
    });
    expect(only(manifests, "PodDisruptionBudget").spec).toMatchObject({ maxUnavailable: 1 });
  });

  test("replace each other without a gap, all at once", async () => {
    const { spec } = only(await render(serving()), "Deployment");
    const pod = spec.template.spec;
    expect(spec).toMatchObject({
      replicas: 2,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: "100%" } },
    });
    const [container] = pod.containers;
    expect(container).toMatchObject({
      readinessProbe: { httpGet: { path: "/-/healthz", port: "http" }, periodSeconds: 1 },
      livenessProbe: { httpGet: { path: "/-/healthz", port: "http" } },
      lifecycle: { preStop: { exec: { command: ["/bin/sleep", "5"] } } },
    });
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(30);
  });

  test("mount every file that they run, and every volume that they mount exists", async () => {
    for (const values of [NOTHING, serving(), serving(EVERYTHING)]) {
      const manifests = await render(values);
      const { spec } = podTemplate(manifests);
      const keys = Object.keys(only(manifests, "ConfigMap").data).sort();
      const { volumes } = spec;
      const configuration = volumes.find(({ name }) => name === "configuration");
      expect(configuration?.configMap?.items?.map(({ key }) => key).sort()).toEqual(keys);
      const containers = [...(values === NOTHING ? [] : spec.initContainers), ...spec.containers];
      const mounted = new Set(containers.flatMap(({ volumeMounts }) => volumeMounts.map(({ name }) => name)));
      expect([...mounted].sort()).toEqual(volumes.map(({ name }) => name).sort());
    }
  });
});

describe("the pods of a site that comes in an image", () => {
  const CALLED = `registry.example.com/docs/site@sha256:${"a0".repeat(32)}`;

  test("of its own are that image by its digest, fetch nothing and may go nowhere", async () => {
    const manifests = await render(servingImage("siteImage"));
    expect(namesOf(manifests)).not.toContain("Secret");
    expect(only(manifests, "NetworkPolicy").spec.egress).toEqual([]);
    const { spec } = podTemplate(manifests);
    expect(spec).not.toHaveProperty("initContainers");
    expect(spec.containers.map(({ image }) => image)).toEqual([SITE_IMAGE]);
    expect(spec.volumes.map(({ name }) => name)).toEqual(["configuration", "tmp"]);
    expect(spec.containers[0]?.env).toContainEqual({
      name: "IMAGE_SITE_FOLDER",
      value: "/usr/share/nginx/html",
    });
    // no other image can be had there
    expect(testPod(manifests).containers.map(({ image }) => image)).toEqual([SITE_IMAGE]);
    expect(JSON.stringify(manifests)).not.toContain("nginx-unprivileged");
    const files = Object.keys(only(manifests, "ConfigMap").data).map((key) => key.replace(/^\w+\./, ""));
    expect(files).toEqual(["nginx.conf", "serve.sh"]);
  });

  test("of files alone mount it, to be read only, and fetch nothing", async () => {
    const manifests = await render(servingImage("volume"));
    expect(namesOf(manifests)).not.toContain("Secret");
    expect(only(manifests, "NetworkPolicy").spec.egress).toEqual([]);
    const { spec } = podTemplate(manifests);
    expect(spec).not.toHaveProperty("initContainers");
    const [nginx] = spec.containers;
    expect(nginx?.image).toContain("nginx-unprivileged");
    expect(spec.volumes).toContainEqual({
      name: "site",
      image: { reference: SITE_IMAGE, pullPolicy: "IfNotPresent" },
    });
    expect(nginx?.volumeMounts).toContainEqual({ name: "site", mountPath: "/site", readOnly: true });
    expect(nginx?.env).toContainEqual({ name: "IMAGE_SITE_FOLDER", value: "/site/site" });
  });

  test.each([
    ["siteImage", { siteImage: CALLED }],
    ["volume", { siteVolume: { image: CALLED, featureGate: true } }],
  ] as const)(
    "(%s) are rolled by another digest, and not by another label of the same one",
    async (mode, other) => {
      const values = servingImage(mode);
      const pods = podTemplate(await render(values));
      const rolled = podTemplate(await render({ ...values, ...other }));
      const content = (template: typeof pods) => template.metadata.annotations?.["docs-server/content"];
      expect(content(rolled)).not.toBe(content(pods));
      expect(JSON.stringify(rolled)).toContain(CALLED);
      expect(JSON.stringify(rolled)).not.toContain(SITE_IMAGE);
      const relabelled = { ...values, staticExport: { enabled: true, version: "v2", jobId: "81bc" } };
      expect(podTemplate(await render(relabelled))).toEqual(pods);
    },
  );

  test.each(["siteImage", "volume"] as const)(
    "(%s) have no need of a right, and only volumes that they mount",
    async (mode) => {
      const { spec } = podTemplate(await render(servingImage(mode)));
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 101 });
      for (const { securityContext } of spec.containers) {
        expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true });
      }
      const mounted = spec.containers.flatMap(({ volumeMounts }) => volumeMounts.map(({ name }) => name));
      expect(mounted.sort()).toEqual(spec.volumes.map(({ name }) => name).sort());
    },
  );

  test("leave the link and the way to its host to pods of an earlier revision, and take them away with these", async (context) => {
    const before = await render(serving());
    const { metadata } = podTemplate(before);
    const id = metadata.annotations?.["docs-server/content"] ?? "";
    const secret = only(before, "Secret");
    const replicaSet = {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: "earlier", ownerReferences: [{ name: only(before, "Deployment").metadata.name }] },
      spec: { template: { metadata } },
    };
    const stored = { ...secret, data: { ...secret.data, "0000000000000000": "bm9ib2R5" } };
    const cluster = await standInForCluster(context, [stored, replicaSet]);
    const during = await render(servingImage("siteImage"), ...cluster);
    expect(only(during, "Secret").data).toEqual({ [id]: secret.data[id] });
    expect(only(during, "NetworkPolicy").spec.egress[1]?.ports).toEqual([{ port: 443, protocol: "TCP" }]);

    const later = await render(servingImage("siteImage"), ...(await standInForCluster(context, [stored])));
    expect(namesOf(later)).not.toContain("Secret");
    expect(only(later, "NetworkPolicy").spec.egress).toEqual([]);
  });
});

describe("the manifests", () => {
  test("have the standard labels, and selectors that meet the pods and nothing that changes", async () => {
    const manifests = await render(
      serving({ ...EVERYTHING, podLabels: { "app.kubernetes.io/name": "stolen", team: "docs" } }),
    );
    const { labels } = podTemplate(manifests).metadata;
    expect(labels).toEqual({ ...SELECTOR, team: "docs" });
    for (const { metadata } of manifests.filter(({ kind }) => kind !== "Pod")) {
      expect(metadata.labels).toMatchObject({
        "app.kubernetes.io/name": "docs-server",
        "app.kubernetes.io/instance": "docs",
        "app.kubernetes.io/version": "1.30.4",
        "app.kubernetes.io/managed-by": "Helm",
      });
    }
    expect(only(manifests, "Deployment").spec.selector.matchLabels).toEqual(SELECTOR);
    expect(only(manifests, "Service").spec.selector).toEqual(SELECTOR);
    expect(only(manifests, "PodDisruptionBudget").spec.selector.matchLabels).toEqual(SELECTOR);
    expect(only(manifests, "NetworkPolicy").spec.podSelector.matchLabels).toEqual(SELECTOR);
  });

  test("without an export have neither link nor init container nor a way out", async () => {
    const manifests = await render({ staticExport: { bundleUrl: LINK, version: "v1" } });
    expect(namesOf(manifests)).toEqual([
      "ConfigMap",
      "Deployment",
      "NetworkPolicy",
      "Pod",
      "PodDisruptionBudget",
      "Service",
    ]);
    expect(podTemplate(manifests).spec).not.toHaveProperty("initContainers");
    expect(only(manifests, "NetworkPolicy").spec.egress).toEqual([]);
    expect(JSON.stringify(manifests)).not.toContain("CANARY");
  });

  test.each([
    ["1.26.0", undefined],
    ["1.27.0", "AlwaysAllow"],
  ])("of Kubernetes %s let broken pods be evicted: %s", async (version, policy) => {
    const budget = only(await render(serving(), "--kube-version", version), "PodDisruptionBudget");
    expect(budget.spec).toHaveProperty("maxUnavailable", 1);
    expect((budget.spec as unknown as Values)["unhealthyPodEvictionPolicy"]).toBe(policy);
  });

  test("let the pods out to the store, to no address of a cloud's credentials, and to those that are given alone", async () => {
    const [names, store] = only(await render(serving()), "NetworkPolicy").spec.egress;
    expect(names).not.toHaveProperty("to"); // a name server may have any address
    expect(store?.to).toEqual([
      { ipBlock: { cidr: "0.0.0.0/0", except: ["169.254.0.0/16"] } },
      { ipBlock: { cidr: "::/0", except: ["fe80::/10", "fd00:ec2::254/128"] } },
      { namespaceSelector: {} },
    ]);
    const egressTo = [{ ipBlock: { cidr: "10.1.2.0/24" } }];
    const policy = only(await render(serving({ networkPolicy: { egressTo } })), "NetworkPolicy");
    expect(policy.spec.egress[1]?.to).toEqual(egressTo);
  });

  test("lead a Gateway and a Route to the Service", async () => {
    const gateway = { name: "web", namespace: "infra" };
    const hosts = ["docs.example.com"];
    const manifests = await render(
      serving({
        httpRoute: { enabled: true, parentRefs: [gateway], hostnames: hosts, annotations: { a: "b" } },
        route: { enabled: true, host: "docs.example.com" },
        service: { port: 8080 },
      }),
    );
    const { name } = only(manifests, "Service").metadata;
    const httpRoute = only(manifests, "HTTPRoute");
    expect(httpRoute.metadata.annotations).toEqual({ a: "b" });
    expect(httpRoute.spec).toEqual({
      parentRefs: [gateway],
      hostnames: hosts,
      rules: [{ backendRefs: [{ name, port: 8080 }] }],
    });
    expect(only(manifests, "Route").spec).toEqual({
      host: "docs.example.com",
      to: { kind: "Service", name, weight: 100 },
      port: { targetPort: "http" },
      tls: { termination: "edge", insecureEdgeTerminationPolicy: "Redirect" },
    });
  });

  test("without a Gateway refuse an HTTPRoute", async () => {
    await expect(render(serving({ httpRoute: { enabled: true } }))).rejects.toThrow("httpRoute.parentRefs");
  });

  test("are right in a namespace whose name is a number, too", async () => {
    const manifests = await render(serving(EVERYTHING), "--namespace", "123");
    expect(manifests.map(({ metadata }) => metadata.namespace)).toEqual(manifests.map(() => "123"));
  });

  test("are the same each time", async () => {
    expect(await render(serving(EVERYTHING))).toEqual(await render(serving(EVERYTHING)));
  });
});

describe("the notes", () => {
  test("tell the addresses, of whatever kind", async () => {
    const shown = await notes(
      serving({
        ingress: { enabled: true, hosts: ["a.example.com"], tls: [{ secretName: "a" }] },
        httpRoute: { enabled: true, parentRefs: [{ name: "web" }], hostnames: ["b.example.com"] },
        route: { enabled: true, host: "c.example.com", tls: null },
      }),
    );
    expect(shown).toMatch(/https:\/\/a\..*\/\n {2}https:\/\/b\..*\n {2}http:\/\/c\.example\.com\/\n/);
    expect(shown).not.toContain("port-forward");
  });
});

describe("helm test", () => {
  const manifestsOf = (values: Values = {}) => render(serving(values));

  test("runs a pod that serves nobody, is let through the network policy, and goes when all is well", async () => {
    const from = [{ podSelector: { matchLabels: { asks: "true" } } }];
    const manifests = await manifestsOf({ networkPolicy: { from } });
    const { metadata } = only(manifests, "Pod");
    expect(metadata.annotations).toEqual({
      "helm.sh/hook": "test",
      "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
    });
    expect(metadata.labels).not.toMatchObject(SELECTOR);
    expect(only(manifests, "NetworkPolicy").spec.ingress[0]?.from).toEqual([
      ...from,
      { podSelector: { matchLabels: metadata.labels } },
    ]);
    expect(only(await manifestsOf(), "NetworkPolicy").spec.ingress[0]).not.toHaveProperty("from");
  });

  test("passes with the start page, and fails without one", async (context) => {
    const manifests = await manifestsOf();
    const serverOf = async (files: Record<string, string>) => {
      const server = new WebServer();
      context.onTestFinished(() => server.remove());
      server.write(files);
      await server.start(manifests);
      return server.port;
    };
    await expect(runTestPod(manifests, await serverOf({}))).rejects.toThrow("error: 404");
    const port = await serverOf({ "index.html": "<h1>Start</h1>" });
    expect(await runTestPod(manifests, port)).toBe("start page: HTTP 200, 14 bytes\n");
  });

  /** Runs what the pod would, with the variable that the kubelet gives it for the Service. */
  async function runTestPod(manifests: readonly Manifest[], port: number): Promise<string> {
    const [container] = testPod(manifests).containers;
    const service = only(manifests, "Service").metadata.name.toUpperCase().replaceAll("-", "_");
    const env = { PATH: process.env["PATH"], [`${service}_PORT`]: `tcp://127.0.0.1:${port}` };
    const { stdout } = await promisify(execFile)("sh", ["-c", ...(container?.args ?? [])], { env });
    return stdout;
  }
});

const testPod = (manifests: readonly Manifest[]) =>
  only(manifests, "Pod").spec as unknown as Manifest["spec"]["template"]["spec"];

/** What Kubernetes makes of `$` in an environment variable: `$$` is `$`, `$(NAME)` a variable if there is one. */
function expandedByKubernetes(value: string): string {
  return value.replace(/\$(\$|\(HOME\))/g, (_, what: string) => (what === "$" ? "$" : "/root"));
}
