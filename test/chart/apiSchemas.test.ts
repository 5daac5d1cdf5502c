import { expect, test } from "vitest";
import { CLIENTS, GATEWAY_APIS, gatewayCheck, kubernetesCheck } from "./apiSchemas.ts";
import { type Manifest, only, render, serving, servingImage, type Values } from "./renderedChart.ts";

/** Every switch, and a value for every group that is passed on to Kubernetes. */
const EVERYTHING: Values = serving({
  image: { digest: `sha256:${"0".repeat(64)}` },
  imagePullSecrets: [{ name: "registry-key" }],
  autoscaling: { enabled: true, behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } },
  fetch: {
    certificateAuthority: { configMap: "our-ca" },
    extraEnv: [{ name: "HTTPS_PROXY", value: "http://a" }],
  },
  service: { type: "LoadBalancer", annotations: { shown: "yes" } },
  ingress: {
    enabled: true,
    className: "nginx",
    annotations: { shown: "yes" },
    hosts: ["docs.example.com"],
    tls: [{ secretName: "our-tls", hosts: ["docs.example.com"] }],
  },
  httpRoute: {
    enabled: true,
    annotations: { shown: "yes" },
    parentRefs: [{ name: "web", namespace: "infra", sectionName: "https", port: 443 }],
    hostnames: ["docs.example.com"],
  },
  openshift: true,
  networkPolicy: {
    from: [{ podSelector: { matchLabels: { asks: "true" } } }],
    egressPorts: [8443],
    egressTo: [{ ipBlock: { cidr: "10.1.0.0/16" } }],
  },
  serviceAccountName: "our-account",
  podAnnotations: { noted: "yes" },
  podLabels: { team: "docs" },
  priorityClassName: "high",
  nodeSelector: { disk: "ssd" },
  tolerations: [{ key: "docs", operator: "Exists" }],
});

const OF_A_CLUSTER = [
  "ConfigMap",
  "Deployment",
  "HorizontalPodAutoscaler",
  "Ingress",
  "NetworkPolicy",
  "Pod",
  "PodDisruptionBudget",
  "Secret",
  "Service",
  "Service",
];

const kubernetesVersion = (client: string) => client.replace(/^0/, "1");
const isOfCluster = ({ kind }: Manifest) => kind !== "HTTPRoute";

test.for(CLIENTS)(
  "with every switch on, or none, client-go %s knows all of the manifests",
  { timeout: 300_000 }, // downloaded once
  async (client) => {
    const check = await kubernetesCheck(client);
    // image volumes exist since 1.31; the chart uses them where the values say that the cluster has them
    const hasImageVolumes = Number(client.split(".")[1]) >= 31;
    const ofImages = [servingImage("siteImage"), ...(hasImageVolumes ? [servingImage("volume")] : [])];
    for (const values of [{}, serving(), EVERYTHING, ...ofImages]) {
      const manifests = await render(values, "--kube-version", kubernetesVersion(client));
      const wrong = manifests.filter(isOfCluster).map((manifest) => [manifest.kind, ...check(manifest)]);
      expect(wrong.filter(([, ...errors]) => errors.length > 0)).toEqual([]);
      if (values === EVERYTHING) expect(wrong.map(([kind]) => kind).sort()).toEqual(OF_A_CLUSTER);
    }
  },
);

test.for(GATEWAY_APIS)(
  "the HTTPRoute is one of the Gateway API %s",
  { timeout: 300_000 },
  async (version) => {
    const check = await gatewayCheck(version);
    const route = only(await render(EVERYTHING), "HTTPRoute");
    expect(check(route)).toEqual([]);
    const spec = route.spec as unknown as Values;
    expect(check({ ...route, spec: { ...spec, hostname: ["a"] } })).toHaveLength(1);
    expect(check({ ...route, spec: { ...spec, hostnames: ["-"] } }).join()).toContain("pattern");
  },
);

test("the same check finds a field of a later version, a wrong type and an unknown kind", async () => {
  const manifests = await render(serving(), "--kube-version", "1.27.0");
  const check = await kubernetesCheck("0.25.9");
  const budget = only(manifests, "PodDisruptionBudget");
  expect(check(budget)).toEqual([expect.stringContaining('"unhealthyPodEvictionPolicy"')]);
  const service = only(manifests, "Service");
  expect(check({ ...service, spec: { ...service.spec, type: 1 } })).toEqual([
    '/spec/type must be string: {"type":"string"}',
  ]);
  expect(check({ ...service, kind: "Servise" })).toEqual(["no type is named io.k8s.api.core.v1.Servise"]);
});
