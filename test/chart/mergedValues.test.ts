import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  CHART,
  only,
  podTemplate,
  readChartYaml,
  render,
  serving,
  servingImage,
  template,
  type Values,
} from "./renderedChart.ts";

const container = async (values: Values) => podTemplate(await render(serving(values))).spec.containers[0];

describe("a probe", () => {
  test.each<[string, Values, Values]>([
    ["has the chart's handler", { periodSeconds: 9 }, { httpGet: { path: "/-/healthz", port: "http" } }],
    ["may have another path", { httpGet: { path: "/a" } }, { httpGet: { path: "/a", port: "http" } }],
    ["may have another kind", { tcpSocket: { port: 8080 } }, { tcpSocket: { port: 8080 } }],
    ["may run a command", { exec: { command: ["true"] } }, { exec: { command: ["true"] } }],
    ["ignores one that is null", { exec: null, grpc: { port: 1 } }, { grpc: { port: 1 } }],
  ])("%s, and only that one", async (_, probe, handler) => {
    for (const name of ["readinessProbe", "livenessProbe"]) {
      const found = ((await container({ [name]: probe })) as unknown as Record<string, Values>)[name] ?? {};
      const kinds = ["exec", "grpc", "httpGet", "tcpSocket"].filter((kind) => kind in found);
      expect(Object.fromEntries(kinds.map((kind) => [kind, found[kind]]))).toEqual(handler);
      expect(found).toHaveProperty("timeoutSeconds");
    }
  });
});

describe("a strategy", () => {
  test.each<[Values, Values]>([
    [{ type: "Recreate" }, { type: "Recreate" }],
    [
      { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    ],
    [
      { rollingUpdate: { maxSurge: 1 } },
      { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    ],
    [{ rollingUpdate: null }, { type: "RollingUpdate" }],
  ])("%j is valid", async (strategy, rendered) => {
    expect(only(await render(serving({ strategy })), "Deployment").spec).toHaveProperty("strategy", rendered);
  });
});

test.each<[what: string, values: Values, sentence: string]>([
  [
    "two handlers",
    { readinessProbe: { tcpSocket: { port: 1 }, exec: { command: ["true"] } } },
    "readinessProbe has exec and tcpSocket, but a probe has only one handler",
  ],
  [
    "a strategy without room",
    { strategy: { rollingUpdate: { maxSurge: 0 } } },
    "maxSurge is 0 and .maxUnavailable is 0, so that no pod could ever be replaced",
  ],
  [
    "the same in percent",
    { strategy: { rollingUpdate: { maxSurge: "0%" } } },
    "so that no pod could ever be replaced",
  ],
  [
    "a request above the default limit",
    { resources: { requests: { memory: "256Mi" } } },
    "resources.requests.memory (256Mi) is more than resources.limits.memory (128Mi)",
  ],
  [
    "a limit below the default request",
    { fetch: { resources: { limits: { cpu: "20m" } } } },
    "fetch.resources.requests.cpu (100m) is more than fetch.resources.limits.cpu (20m)",
  ],
  ["root", { podSecurityContext: { runAsUser: 0 } }, "podSecurityContext.runAsUser is 0, which is root"],
  [
    "root for the containers",
    { securityContext: { runAsUser: 0 } },
    "securityContext.runAsUser is 0, which is root, but podSecurityContext.runAsNonRoot is true",
  ],
  [
    "privileges",
    { securityContext: { privileged: true } },
    "securityContext has privileged, but allowPrivilegeEscalation is false",
  ],
  [
    "a capability that is one",
    { securityContext: { capabilities: { add: ["SYS_ADMIN"] } } },
    "securityContext has capabilities.add: [SYS_ADMIN], but",
  ],
  [
    "a profile of the node",
    { podSecurityContext: { seccompProfile: { localhostProfile: "a.json" } } },
    "podSecurityContext.seccompProfile.localhostProfile needs seccompProfile.type to be Localhost",
  ],
  [
    "fewer pods at most than at least",
    { autoscaling: { enabled: true, maxReplicas: 1 } },
    "autoscaling.minReplicas (2) is more than autoscaling.maxReplicas (1)",
  ],
  [
    "a variable of the chart",
    { fetch: { extraEnv: [{ name: "CONTENT_ID", value: "a" }] } },
    "fetch.extraEnv sets CONTENT_ID a second time",
  ],
  ["no name server", { dnsPolicy: "None" }, "dnsConfig.nameservers must name at least one name server"],
  [
    "a port of nodes that a Service has not",
    { service: { nodePort: 30000 } },
    "service.nodePort is only for a Service of the type NodePort or LoadBalancer; service.type is ClusterIP",
  ],
  [
    "a load balancer without one",
    { service: { type: "NodePort", loadBalancerClass: "a/b" } },
    "service.loadBalancerClass is only for a Service of the type LoadBalancer; service.type is NodePort",
  ],
  ["a condition without a parent", { enabled: false }, "enabled is false, which only a parent chart can use"],
  ["a host with an empty label", { ingress: { enabled: true, hosts: ["a..b"] } }, "'/ingress/hosts/0'"],
  ["a label that is none", { podLabels: { team: "two words" } }, "'/podLabels/team'"],
  ["more than all pods", { podDisruptionBudget: { maxUnavailable: "101%" } }, "maxUnavailable"],
  [
    "a budget that blocks nodes",
    { podDisruptionBudget: { maxUnavailable: 0 } },
    "podDisruptionBudget.maxUnavailable is 0, so that no pod could be evicted and no node drained",
  ],
  [
    "the same budget in percent",
    { podDisruptionBudget: { maxUnavailable: "0%" } },
    "podDisruptionBudget.maxUnavailable is 0%",
  ],
  [
    "an autoscaler without a request",
    { autoscaling: { enabled: true }, resources: { requests: { cpu: null } } },
    "resources.requests.cpu is not set, of which autoscaling.targetCPUUtilizationPercentage is a percentage",
  ],
  [
    "an autoscaler without resources",
    { autoscaling: { enabled: true }, resources: null },
    "resources.requests.cpu is not set",
  ],
  [
    "an autoscaler and a request of nothing",
    { autoscaling: { enabled: true }, resources: { requests: { cpu: "0m" } } },
    "resources.requests.cpu is not set",
  ],
  [
    "a number of pods beside the autoscaler's",
    { autoscaling: { enabled: true }, replicas: 5 },
    "replicas is set, but has no effect: autoscaling.enabled is true",
  ],
  [
    "a wait that is longer than the pod lives",
    { web: { drainSeconds: 60 } },
    "web.drainSeconds (60) is not less than terminationGracePeriodSeconds (60)",
  ],
  [
    "another wait than the default life",
    { web: { drainSeconds: 30 }, terminationGracePeriodSeconds: null },
    "web.drainSeconds (30) is not less than terminationGracePeriodSeconds (30)",
  ],
  [
    "a strict policy beside another policy",
    { web: { strictPolicy: true, contentSecurityPolicy: "default-src 'self'" } },
    "web.strictPolicy is set, but has no effect: web.contentSecurityPolicy replaces",
  ],
  [
    "a room for a strategy that has none",
    { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 3 } } },
    "strategy.rollingUpdate.maxSurge is set, but has no effect: strategy.type is Recreate",
  ],
  [
    "a user on OpenShift",
    { openshift: true, podSecurityContext: { runAsUser: 1000 } },
    "podSecurityContext.runAsUser is set, but has no effect: openshift is true",
  ],
  [
    "a key without its ConfigMap",
    { fetch: { certificateAuthority: { key: "root.pem" } } },
    "fetch.certificateAuthority.key is set, but has no effect",
  ],
  [
    "a feature gate without a mounted image",
    { siteVolume: { featureGate: true } },
    "siteVolume.featureGate is set, but has no effect: no siteVolume.image is mounted",
  ],
  [
    "files of a version that no path can be",
    { web: { immutablePattern: null }, fetch: { maxPreviousBytes: 1 } },
    "fetch.maxPreviousBytes is set, but has no effect: web.immutablePattern is null",
  ],
  [
    "two families and one stack",
    { service: { ipFamilyPolicy: "SingleStack", ipFamilies: ["IPv4", "IPv6"] } },
    "service.ipFamilyPolicy is SingleStack, but service.ipFamilies has two families",
  ],
  [
    "a label by which pods are selected",
    { podLabels: { "app.kubernetes.io/name": "other" } },
    "podLabels: the chart sets app.kubernetes.io/name itself",
  ],
  [
    "a label of the chart",
    { commonLabels: { "helm.sh/chart": "other" } },
    "commonLabels: the chart sets helm.sh/chart itself",
  ],
  [
    "an annotation of the chart",
    { podAnnotations: { "docs-server/content": "other" } },
    "podAnnotations: the chart sets docs-server/content itself",
  ],
  [
    "a name that no label has",
    { commonLabels: { "our team": "docs" } },
    "commonLabels: «our team» is no name",
  ],
  [
    "a number in the environment",
    { fetch: { extraEnv: [{ name: "A", value: 1 }] } },
    "'/fetch/extraEnv/0/value'",
  ],
  ["a field that no security context has", { securityContext: { readonly: true } }, "'readonly' not allowed"],
  ["a field that no probe has", { livenessProbe: { enabled: false } }, "'enabled' not allowed"],
])("%s is refused with a sentence, before anything is made", async (_, values, sentence) => {
  const { code, output } = await template(serving(values));
  expect(output).toContain(sentence);
  expect(code).not.toBe(0);
});

test("the defaults by which values without effect are found are those of values.yaml", async () => {
  const text = await readFile(join(CHART, "templates/_effects.tpl"), "utf8");
  const table = /unusedDefaults" -\}\}\n([^]*?)\{\{- end/.exec(text)?.[1] ?? "";
  const compared = parse(table) as Values;
  expect(Object.keys(compared)).toContain("fetch.sha256");
  const values = await readChartYaml("values.yaml");
  for (const [name, value] of Object.entries(compared)) {
    const found = name.split(".").reduce<unknown>((group, key) => (group as Values)[key], values);
    expect([name, found]).toEqual([name, value]);
  }
  // all values of the init container
  const ofFetch = Object.keys(compared).flatMap((name) =>
    name.startsWith("fetch.") ? [name.split(".")[1]] : [],
  );
  expect([...new Set(ofFetch)].sort()).toEqual(Object.keys(values["fetch"] as Values).sort());
});

test.each<[what: string, values: Values, sentence: string]>([
  [
    "a digest of an archive",
    { fetch: { sha256: "ab".repeat(32) } },
    "fetch.sha256 is set, but has no effect: siteImage is set, so that pods fetch nothing",
  ],
  [
    "resources of the fetch",
    { fetch: { resources: { limits: { memory: "1Gi" } } } },
    "fetch.resources.limits.memory is set, but has no effect",
  ],
  ["room for a site", { siteVolume: { sizeLimit: "9Gi" } }, "siteVolume.sizeLimit is set, but has no effect"],
  [
    "addresses without ports",
    { networkPolicy: { egressTo: [{ ipBlock: { cidr: "10.1.0.0/16" } }] } },
    "networkPolicy.egressTo is set, but there is no link whose port could be meant",
  ],
  [
    "no export",
    { staticExport: { enabled: false } },
    "siteImage is set, but has no effect: staticExport.enabled is false",
  ],
])("%s beside the image of a site is refused, because it has no effect", async (_, values, sentence) => {
  const { code, output } = await template({ ...servingImage("siteImage"), ...values });
  expect(output).toContain(sentence);
  expect(code).not.toBe(0);
});

test.each<[string, Values]>([
  ["root where it may be", { podSecurityContext: { runAsUser: 0, runAsNonRoot: false } }],
  ["ids of OpenShift's", { openshift: true, podSecurityContext: { runAsUser: null } }],
  [
    "the same request as limit",
    { resources: { requests: { memory: "0.125Gi", cpu: "0.05" }, limits: { cpu: "50m" } } },
  ],
  ["an image of nginx beside that of a site", { image: { repository: "registry.example.com/nginx" } }],
  ["no limit", { resources: { limits: { memory: null } } }],
  ["a condition that holds", { enabled: true }],
  ["a volume without limit", { siteVolume: { sizeLimit: null } }],
  [
    "every field of the Service",
    {
      service: {
        type: "LoadBalancer",
        nodePort: 30080,
        externalTrafficPolicy: "Local",
        loadBalancerClass: "example.com/l4",
        loadBalancerSourceRanges: ["10.0.0.0/8"],
      },
    },
  ],
  [
    "names and name servers",
    {
      hostAliases: [{ ip: "10.0.0.7", hostnames: ["store.internal"] }],
      dnsPolicy: "None",
      dnsConfig: {
        nameservers: ["10.0.0.53"],
        searches: ["internal"],
        options: [{ name: "ndots", value: "2" }],
      },
    },
  ],
])("%s is accepted, as by Kubernetes", async (_, values) => {
  await render(serving(values));
  await render({ ...servingImage("siteImage"), ...values });
});

describe("web.basePath", () => {
  const HOSTS: Values = {
    ingress: { enabled: true, hosts: ["example.com"] },
    httpRoute: { enabled: true, parentRefs: [{ name: "web" }] },
    route: { enabled: true },
  };
  const pathsOf = async (web: Values, more: Values = {}) => {
    const manifests = await render(serving({ ...HOSTS, web, ...more }));
    const spec = (kind: string) => JSON.stringify(only(manifests, kind).spec);
    return [
      /"path":"(.*?)"/.exec(spec("Ingress"))?.[1],
      /"matches":(.*?\])/.exec(spec("HTTPRoute"))?.[1],
      /"path":"(.*?)"/.exec(spec("Route"))?.[1],
    ];
  };

  test("is all that Ingress, HTTPRoute and Route take of a host", async () => {
    expect(await pathsOf({ basePath: "/docs" })).toEqual([
      "/docs",
      '[{"path":{"type":"PathPrefix","value":"/docs"}}]',
      "/docs",
    ]);
    expect(await pathsOf({})).toEqual(["/", undefined, undefined]);
    // a router that does not decrypt knows no path
    const passthrough = { ...HOSTS, route: { enabled: true, tls: { termination: "passthrough" } } };
    expect((await pathsOf({ basePath: "/docs" }, passthrough))[2]).toBeUndefined();
  });
});
