import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import {
  EVERYTHING,
  kindsOf,
  type Manifest,
  notes,
  only,
  podTemplate,
  render,
  SELECTOR,
  serving,
  servingImage,
  SITE_IMAGE,
  testPod,
  type Values,
} from "./renderedChart.ts";
import { WebServer } from "./webServer.ts";

/** Where pods of a mesh in Istio's ambient mode are reached. */
const AMBIENT = { port: 15_008, protocol: "TCP" };

const LINK = "https://store.example.com/bundle.tar.gz?signature=CANARY-5f3a";

describe("the link", () => {
  test.each([LINK, `${LINK}&a=1,2{x}[y]\\"'$(HOME)%20%&#`, `https://a/${"x".repeat(64_000)}`])(
    "is in the Secret byte for byte, and nowhere else: %.80s",
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

  test("changes only the Secret when it is renewed", async () => {
    const before = await render(serving(EVERYTHING, { bundleUrl: LINK }));
    const after = await render(serving(EVERYTHING, { bundleUrl: `${LINK}-renewed` }));
    const changed = after.filter(
      (manifest, index) => JSON.stringify(manifest) !== JSON.stringify(before[index]),
    );
    expect(kindsOf(changed)).toEqual(["Secret"]);
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
  ])("%s is allowed by the network policy, at port %s", async (bundleUrl, port) => {
    const policy = only(
      await render(serving({ fetch: { allowHttp: true } }, { bundleUrl })),
      "NetworkPolicy",
    );
    expect(policy.spec.egress[1]?.ports).toEqual([{ port, protocol: "TCP" }, AMBIENT]);
  });
});

describe("the manifests", () => {
  test("have the standard labels, and selectors that match the pods and never change", async () => {
    const manifests = await render(
      serving({ ...EVERYTHING, podLabels: { team: "docs" }, commonLabels: { team: "all", cost: "7" } }),
    );
    const { labels } = podTemplate(manifests).metadata;
    expect(labels).toEqual({ ...SELECTOR, team: "docs", cost: "7" });
    for (const { metadata } of manifests.filter(({ kind }) => kind !== "Pod")) {
      expect(metadata.labels).toMatchObject({
        "app.kubernetes.io/name": "docs-server",
        "app.kubernetes.io/instance": "docs",
        "app.kubernetes.io/version": "1.30.4",
        "app.kubernetes.io/managed-by": "Helm",
        team: "all",
        cost: "7",
      });
    }
    expect(only(manifests, "Deployment").spec.selector.matchLabels).toEqual(SELECTOR);
    expect(only(manifests, "Service").spec.selector).toEqual(SELECTOR);
    expect(only(manifests, "PodDisruptionBudget").spec.selector.matchLabels).toEqual(SELECTOR);
    expect(only(manifests, "NetworkPolicy").spec.podSelector.matchLabels).toEqual(SELECTOR);
  });

  test("without an export have no link, no init container and no egress", async () => {
    const manifests = await render({ staticExport: { bundleUrl: LINK, version: "v1" } });
    expect(kindsOf(manifests)).toEqual([
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
  ])("of Kubernetes %s allow the eviction of broken pods: %s", async (version, policy) => {
    const budget = only(await render(serving(), "--kube-version", version), "PodDisruptionBudget");
    expect(budget.spec).toHaveProperty("maxUnavailable", 1);
    expect((budget.spec as unknown as Values)["unhealthyPodEvictionPolicy"]).toBe(policy);
  });

  test("allow the pods egress to the store, to no address of a cloud's credentials, and else only to the given addresses", async () => {
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

  test("let a mesh in Istio's ambient mode reach the pods, and them each other and the store", async () => {
    const from = [{ podSelector: {} }];
    const { ingress, egress } = only(
      await render(serving({ networkPolicy: { from } })),
      "NetworkPolicy",
    ).spec;
    expect(ingress).toHaveLength(1);
    expect(ingress[0]).toMatchObject({ ports: [{ port: "http", protocol: "TCP" }, AMBIENT] });
    expect(egress.slice(1).map(({ ports }) => ports)).toEqual([
      [{ port: 443, protocol: "TCP" }, AMBIENT],
      [{ port: 8080, protocol: "TCP" }, AMBIENT],
    ]);
  });

  test("allow the given egress also where the site is in an image, and to the given addresses", async () => {
    const egressTo = [{ ipBlock: { cidr: "10.1.2.0/24" } }];
    for (const mode of ["siteImage", "volume"] as const) {
      const values = servingImage(mode, { networkPolicy: { egressPorts: [8443, 443], egressTo } });
      expect(only(await render(values), "NetworkPolicy").spec.egress[1]).toEqual({
        ports: [{ port: 8443, protocol: "TCP" }, { port: 443, protocol: "TCP" }, AMBIENT],
        to: egressTo,
      });
    }
    const alone = { networkPolicy: { egressPorts: [8443] }, web: { askOtherPods: false } };
    expect(only(await render(servingImage("siteImage", alone)), "NetworkPolicy").spec.egress).toHaveLength(2);
  });

  test("say what is served, in annotations of the Deployment that restart no pod", async () => {
    const deploymentOf = async (jobId: string) =>
      only(await render(serving({ siteImage: SITE_IMAGE }, { bundleUrl: "", jobId })), "Deployment");
    const [first, second] = [await deploymentOf("7f3a"), await deploymentOf("81bc")];
    expect(first.metadata.annotations).toEqual({ "docs-server/version": "v1", "docs-server/job": "7f3a" });
    expect(second.metadata.annotations).toEqual({ "docs-server/version": "v1", "docs-server/job": "81bc" });
    expect(second.spec).toEqual(first.spec);
  });

  test("have both address families where the Service has them", async () => {
    const families = { ipFamilyPolicy: "RequireDualStack", ipFamilies: ["IPv6", "IPv4"] };
    const services = (await render(serving({ service: families }))).filter(({ kind }) => kind === "Service");
    expect(services).toHaveLength(2);
    for (const { spec } of services) expect(spec).toMatchObject(families);
  });

  test("route from a Gateway and a Route to the Service", async () => {
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

  test("are right also in a namespace whose name is a number", async () => {
    const manifests = await render(serving(EVERYTHING), "--namespace", "123");
    expect(manifests.map(({ metadata }) => metadata.namespace)).toEqual(manifests.map(() => "123"));
  });

  test("are the same each time", async () => {
    expect(await render(serving(EVERYTHING))).toEqual(await render(serving(EVERYTHING)));
  });
});

describe("the notes", () => {
  test("name the addresses, of any kind", async () => {
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

  test("runs a pod that no Service selects, is allowed by the network policy, and is removed after success", async () => {
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
      { ipBlock: { cidr: "169.254.7.127/32" } },
      { podSelector: { matchLabels: metadata.labels } },
      { podSelector: { matchLabels: SELECTOR } },
    ]);
    expect(only(await manifestsOf(), "NetworkPolicy").spec.ingress[0]).not.toHaveProperty("from");
  });

  test("runs a pod that is admitted where the others are", async () => {
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [] };
    const manifests = await manifestsOf({
      serviceAccountName: "our-account",
      priorityClassName: "high",
      runtimeClassName: "gvisor",
      podLabels: { team: "docs", "sidecar.istio.io/inject": "false" },
      commonLabels: { cost: "7" },
      affinity: { nodeAffinity, podAntiAffinity: {} },
    });
    const { metadata } = only(manifests, "Pod");
    expect(metadata.labels).toMatchObject({ team: "docs", "sidecar.istio.io/inject": "false", cost: "7" });
    expect(metadata.labels).not.toMatchObject(SELECTOR);
    expect(testPod(manifests)).toMatchObject({
      serviceAccountName: "our-account",
      priorityClassName: "high",
      runtimeClassName: "gvisor",
      affinity: { nodeAffinity },
    });
    expect(testPod(manifests).affinity).not.toHaveProperty("podAntiAffinity");
    expect(podTemplate(manifests).spec).toMatchObject({ runtimeClassName: "gvisor" });
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

  /** Runs the pod's command, with the variable that the kubelet sets for the Service. */
  async function runTestPod(manifests: readonly Manifest[], port: number): Promise<string> {
    const [container] = testPod(manifests).containers;
    const service = only(manifests, "Service").metadata.name.toUpperCase().replaceAll("-", "_");
    const env = { PATH: process.env["PATH"], [`${service}_PORT`]: `tcp://127.0.0.1:${port}` };
    const { stdout } = await promisify(execFile)("sh", ["-c", ...(container?.args ?? [])], { env });
    return stdout;
  }
});
