import { describe, expect, test } from "vitest";
import { only, podTemplate, render, serving, servingImage, template, type Values } from "./renderedChart.ts";

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
  ["a field that no probe has", { livenessProbe: { enabled: false } }, "'enabled' not allowed"],
])("%s is refused with a sentence, before anything is made", async (_, values, sentence) => {
  const { code, output } = await template(serving(values));
  expect(output).toContain(sentence);
  expect(code).not.toBe(0);
});

test.each<[string, Values]>([
  ["root where it may be", { podSecurityContext: { runAsUser: 0, runAsNonRoot: false } }],
  ["ids of OpenShift's", { openshift: true, podSecurityContext: { runAsUser: 0 } }],
  [
    "the same request as limit",
    { resources: { requests: { memory: "0.125Gi", cpu: "0.05" }, limits: { cpu: "50m" } } },
  ],
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
