import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  CHART,
  helm,
  manifestsIn,
  notes,
  only,
  readChartYaml,
  serving,
  SITE_IMAGE,
  template,
  templateUnjudged,
  type Values,
} from "./renderedChart.ts";
import { withValuesTable } from "./valuesTable.ts";

/**
 * A value other than its default, a line that manifests then have and did not have before; values without which it has no effect.
 */
type Change = [name: string, to: unknown, shows: string, given?: Values];

/** An installation whose site does not come from a link. */
const OF_IMAGE = { staticExport: { bundleUrl: "" } };
const GATE = { siteVolume: { featureGate: true } };
const INGRESS = { ingress: { enabled: true, hosts: ["docs.example.com"] } };
const AUTOSCALING = { autoscaling: { enabled: true } };
const HTTP_ROUTE = { httpRoute: { enabled: true, parentRefs: [{ name: "web" }] } };
const LOAD_BALANCER = { service: { type: "LoadBalancer" } };
const ROUTE = { route: { enabled: true } };
const DIGEST = "0123456789abcdef".repeat(4);

/** Of a version, a job, and no digest. */
function contentId(version: string, jobId: string): string {
  return createHash("sha256").update(`${version}\n${jobId}\n`).digest("hex").slice(0, 16);
}

/** Every value of values.yaml, changed once. */
const CHANGES: readonly Change[] = [
  ["staticExport.enabled", false, "root /etc/docs-server/disabled;"],
  [
    "staticExport.bundleUrl",
    "https://a.example.com/x",
    Buffer.from("https://a.example.com/x").toString("base64"),
  ],
  ["staticExport.version", "v2", 'value: "v2"'],
  ["staticExport.jobId", "7f3a", `docs-server/content: "${contentId("v1", "7f3a")}"`],
  ["siteImage", SITE_IMAGE, `image: "${SITE_IMAGE}"`, OF_IMAGE],
  ["siteVolume.image", SITE_IMAGE, `reference: "${SITE_IMAGE}"`, { ...OF_IMAGE, ...GATE }],
  ["siteVolume.featureGate", true, "reference:", { ...OF_IMAGE, siteVolume: { image: SITE_IMAGE } }],
  ["features", { search: true }, "Requested features, which static pages may or may not contain: search."],
  ["image.repository", "registry.example.com/nginx", 'image: "registry.example.com/nginx:1.30.4-alpine"'],
  ["image.tag", "1.0", 'image: "docker.io/nginxinc/nginx-unprivileged:1.0"'],
  ["image.digest", `sha256:${DIGEST}`, `nginx-unprivileged:1.30.4-alpine@sha256:${DIGEST}"`],
  ["image.pullPolicy", "Always", "imagePullPolicy: Always"],
  ["imagePullSecrets", [{ name: "registry-key" }], "- name: registry-key"],
  ["nameOverride", "other", 'app.kubernetes.io/name: "other"'],
  ["fullnameOverride", "other", "name: other"],
  ["commonLabels", { team: "docs" }, "team: docs"],
  ["replicas", 5, "replicas: 5"],
  ["autoscaling.enabled", true, "kind: HorizontalPodAutoscaler"],
  ["autoscaling.minReplicas", 4, "minReplicas: 4", AUTOSCALING],
  ["autoscaling.maxReplicas", 44, "maxReplicas: 44", AUTOSCALING],
  ["autoscaling.targetCPUUtilizationPercentage", 44, "averageUtilization: 44", AUTOSCALING],
  ["autoscaling.behavior", { scaleUp: { selectPolicy: "Min" } }, "selectPolicy: Min", AUTOSCALING],
  ["strategy", { rollingUpdate: { maxSurge: 3 } }, "maxSurge: 3"],
  ["revisionHistoryLimit", 7, "revisionHistoryLimit: 7"],
  ["lookupReplicaSets", false, "docs-server/kept: "],
  ["fetch.sha256", DIGEST, `value: "${DIGEST}"`],
  ["fetch.allowHttp", true, 'value: "true"'],
  ["fetch.timeLimitSeconds", 71, 'value: "71"'],
  ["fetch.connectTimeoutSeconds", 73, 'value: "73"'],
  ["fetch.idleTimeoutSeconds", 74, 'value: "74"'],
  ["fetch.minBytesPerSecond", 75, 'value: "75"'],
  ["fetch.maxArchiveBytes", 7_600_000_000, 'value: "7600000000"'],
  ["fetch.maxUnpackedBytes", 7_700_000_000, 'value: "7700000000"'],
  ["fetch.maxEntries", 7_800_000, 'value: "7800000"'],
  ["fetch.maxPreviousBytes", 7_900_000_000, 'value: "7900000000"'],
  ["fetch.certificateAuthority.configMap", "our-ca", 'name: "our-ca"'],
  [
    "fetch.certificateAuthority.key",
    "root.pem",
    'value: "/etc/docs-server-ca/root.pem"',
    { fetch: { certificateAuthority: { configMap: "our-ca" } } },
  ],
  ["fetch.extraEnv", [{ name: "HTTPS_PROXY", value: "http://proxy" }], "- name: HTTPS_PROXY"],
  ["fetch.resources", { limits: { memory: "79Mi" } }, "memory: 79Mi"],
  ["web.basePath", "/manual/v2", "return 302 /manual/v2/;"],
  [
    "web.strictPolicy",
    true,
    `add_header Content-Security-Policy "default-src 'none'; script-src 'self'; style-src`,
  ],
  [
    "web.contentSecurityPolicy",
    "default-src 'self'",
    `add_header Content-Security-Policy "default-src 'self'" always;`,
  ],
  ["web.headers", { "X-More": "1" }, 'add_header X-More "1" always;'],
  ["web.immutablePattern", "^/_static/", '"~^/_static/" yes;'],
  ["web.askOtherPods", false, ""],
  ["web.accessLog", false, "\n      access_log off;"],
  ["web.workerProcesses", 9, "worker_processes 9;"],
  ["web.workerConnections", 99, "worker_connections 99;"],
  ["web.drainSeconds", 9, 'command: [/bin/sleep, "9"]'],
  ["resources", { limits: { memory: "99Mi" } }, "memory: 99Mi"],
  ["siteVolume.sizeLimit", "2Gi", 'sizeLimit: "2Gi"'],
  ["readinessProbe", { periodSeconds: 9 }, "periodSeconds: 9"],
  ["livenessProbe", { periodSeconds: 99 }, "periodSeconds: 99"],
  ["terminationGracePeriodSeconds", 99, "terminationGracePeriodSeconds: 99"],
  ["service.type", "NodePort", "type: NodePort"],
  ["service.port", 81, "port: 81"],
  ["service.nodePort", 30123, "nodePort: 30123", { service: { type: "NodePort" } }],
  ["service.externalTrafficPolicy", "Local", 'externalTrafficPolicy: "Local"', LOAD_BALANCER],
  ["service.loadBalancerClass", "example.com/l4", 'loadBalancerClass: "example.com/l4"', LOAD_BALANCER],
  ["service.loadBalancerSourceRanges", ["10.0.0.0/8"], '["10.0.0.0/8"]', LOAD_BALANCER],
  ["service.ipFamilyPolicy", "PreferDualStack", 'ipFamilyPolicy: "PreferDualStack"'],
  ["service.ipFamilies", ["IPv6"], 'ipFamilies: ["IPv6"]'],
  ["service.annotations", { shown: "yes" }, 'shown: "yes"'],
  ["ingress.enabled", true, "kind: Ingress", { ingress: { hosts: ["docs.example.com"] } }],
  ["ingress.className", "internal", 'ingressClassName: "internal"', INGRESS],
  ["ingress.annotations", { shown: "yes" }, 'shown: "yes"', INGRESS],
  ["ingress.hosts", ["other.example.com"], '- host: "other.example.com"', INGRESS],
  ["ingress.tls", [{ secretName: "our-tls" }], "secretName: our-tls", INGRESS],
  ["httpRoute.enabled", true, "kind: HTTPRoute", { httpRoute: { parentRefs: [{ name: "web" }] } }],
  ["httpRoute.annotations", { shown: "yes" }, 'shown: "yes"', HTTP_ROUTE],
  ["httpRoute.parentRefs", [{ name: "other" }], "- name: other", HTTP_ROUTE],
  ["httpRoute.hostnames", ["docs.example.com"], "- docs.example.com", HTTP_ROUTE],
  ["openshift", true, ""],
  ["route.enabled", true, "kind: Route\n"],
  ["route.host", "docs.example.com", 'host: "docs.example.com"', ROUTE],
  ["route.tls", { termination: "reencrypt" }, "termination: reencrypt", ROUTE],
  ["podDisruptionBudget.enabled", false, ""],
  ["podDisruptionBudget.maxUnavailable", "9%", 'maxUnavailable: "9%"'],
  ["networkPolicy.enabled", false, ""],
  ["networkPolicy.from", [{ podSelector: { matchLabels: { asks: "true" } } }], 'asks: "true"'],
  ["networkPolicy.egressPorts", [8443], "- { port: 8443, protocol: TCP }"],
  ["networkPolicy.egressTo", [{ ipBlock: { cidr: "10.1.0.0/16" } }], "cidr: 10.1.0.0/16"],
  ["serviceAccountName", "our-account", 'serviceAccountName: "our-account"'],
  ["podAnnotations", { noted: "yes" }, 'noted: "yes"'],
  ["podLabels", { team: "docs" }, "team: docs"],
  ["priorityClassName", "high", 'priorityClassName: "high"'],
  ["runtimeClassName", "gvisor", 'runtimeClassName: "gvisor"'],
  ["nodeSelector", { disk: "ssd" }, "disk: ssd"],
  ["tolerations", [{ key: "docs", operator: "Exists" }], "key: docs"],
  ["affinity", { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } }, "nodeAffinity:"],
  ["hostAliases", [{ ip: "10.0.0.7", hostnames: ["store.internal"] }], "- store.internal"],
  ["dnsPolicy", "Default", 'dnsPolicy: "Default"'],
  ["dnsConfig", { nameservers: ["10.0.0.53"] }, "- 10.0.0.53"],
  ["topologySpread.enabled", false, ""],
  ["topologySpread.topologyKey", "topology.kubernetes.io/zone", 'topologyKey: "topology.kubernetes.io/zone"'],
  ["topologySpread.whenUnsatisfiable", "DoNotSchedule", "whenUnsatisfiable: DoNotSchedule"],
  ["podSecurityContext", { runAsUser: 999 }, "runAsUser: 999"],
  ["securityContext", { runAsUser: 999 }, "runAsUser: 999"],
];

/** Groups that are passed on to Kubernetes unchanged: one value each. */
const PASSED_ON = new Set([
  "features", "strategy", "fetch.resources", "resources", "web.headers", "readinessProbe", "livenessProbe",
  "autoscaling.behavior", "httpRoute.annotations", "route.tls", "podSecurityContext", "securityContext", "service.annotations", "ingress.annotations",
  "podAnnotations", "podLabels", "commonLabels", "nodeSelector", "affinity", "dnsConfig",
]); // prettier-ignore

const isGroup = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `a.b.c` of every value in the file. */
function namesIn(values: Values, prefix = ""): string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const name = prefix + key;
    return isGroup(value) && !PASSED_ON.has(name) ? namesIn(value, `${name}.`) : [name];
  });
}

function withValue(values: Values, name: string, value: unknown): Values {
  const [key = "", ...rest] = name.split(".");
  const inner = rest.length > 0 ? withValue((values[key] ?? {}) as Values, rest.join("."), value) : value;
  return { ...values, [key]: inner };
}

let names: string[];
beforeAll(async () => {
  names = namesIn(await readChartYaml("values.yaml"));
});

describe("the chart's values", () => {
  test("are each changed by a test below", () => {
    expect(CHANGES.map(([name]) => name).sort()).toEqual([...names].sort());
  });

  test("are in the table of its README as `npm run chart -- readme` writes it", async () => {
    const [readme, values] = await Promise.all(
      ["README.md", "values.yaml"].map((name) => readFile(join(CHART, name), "utf8")),
    );
    expect(readme).toBe(await withValuesTable(readme ?? "", values ?? ""));
    expect([...(readme ?? "").matchAll(/^\| `([\w.]+)`/gm)].map(([, name]) => name)).toEqual(names);
  });

  test("have the image that the README copies", async () => {
    const { image } = (await readChartYaml("values.yaml")) as { image: Record<"repository" | "tag", string> };
    const readme = await readFile(join(CHART, "README.md"), "utf8");
    expect(readme).toContain(`  docker://${image.repository}:${image.tag} \\\n  docker://`);
  });

  test("are all in the schema, which has no others", async () => {
    const schema = JSON.parse(await readFile(join(CHART, "values.schema.json"), "utf8")) as Schema;
    expect(namesInSchema(schema)).toEqual([...names, "global", "enabled"].sort());
  });

  test("pass helm's strict lint, with the defaults and with everything on", async () => {
    const all = serving({
      ...INGRESS,
      ...AUTOSCALING,
      ...HTTP_ROUTE,
      ...ROUTE,
      openshift: true,
      features: { search: true },
    });
    for (const values of [{}, all]) {
      const { code, output } = await helm(["lint", "--strict", CHART], values);
      expect(output).toContain("1 chart(s) linted, 0 chart(s) failed");
      expect(output).not.toMatch(/\[(WARNING|ERROR)\]/);
      expect(code).toBe(0);
    }
  });
});

describe.concurrent("a change of the value", () => {
  test.each(CHANGES)("%s shows in the manifests", async (name, to, shows, given = {}) => {
    const base = serving(given, given["staticExport"] as Values);
    const changed = withValue(base, name, to);
    let [before, after] = await Promise.all([
      template(base).then(({ stdout }) => stdout), // nothing where it is refused without the change
      manifestsOf(changed),
    ]);
    // what is in no manifest must at least be in the notes
    if (after === before) [before, after] = await Promise.all([notes(base), notes(changed)]);
    expect(after).not.toBe(before);
    expect(after).toContain(shows);
    if (shows !== "") expect(before).not.toContain(shows);
  });
});

/** Ends every kind of text that a value may be put into, and continues with an injected value. */
const BREAKOUT = "x\"'\n  evil: yes\nevil: yes\n---\nkind: Evil\n# {{ evil }} ;} evil on;\n\\";

describe.concurrent("a text with an injection", () => {
  test.each(CHANGES)("in %s is refused, or stays one text", async (name, to, _, given = {}) => {
    const values = withValue(serving(given, given["staticExport"] as Values), name, brokenOut(to));
    const { code, stdout, output } = await templateUnjudged(values);
    expect(output).not.toMatch(/YAML parse error|executing/); // the document is valid
    if (code !== 0) return;
    const manifests = manifestsIn(stdout);
    expect(manifests.map(({ kind }) => kind)).not.toContain("Evil");
    expect(keysIn(manifests)).not.toContain("evil");
    // and it is in no file that programs read by lines
    const texts = only(manifests, "ConfigMap").data;
    expect(Object.values(texts).join("\n")).not.toContain("evil");
  });
});

test("a pattern that would end nginx's quotes is refused", async () => {
  for (const [pattern, isRefused] of [
    ["a\\", true],
    ["a\\\\\\", true],
    ["a\\\\", false],
  ] as const) {
    const { code } = await template(serving({ web: { immutablePattern: pattern } }));
    expect(`${pattern}: ${code === 0 ? "taken" : "refused"}`).toBe(
      `${pattern}: ${isRefused ? "refused" : "taken"}`,
    );
  }
});

/** The same value, with the bad text in place of each text. */
function brokenOut(value: unknown): unknown {
  if (typeof value === "string") return BREAKOUT;
  if (Array.isArray(value)) return value.map(brokenOut);
  if (!isGroup(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, brokenOut(inner)]));
}

function keysIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysIn(inner)]);
}

async function manifestsOf(values: Values): Promise<string> {
  const { code, stdout, output } = await template(values);
  expect(code, output).toBe(0);
  return stdout;
}

interface Schema {
  type?: unknown;
  properties?: Record<string, Schema>;
}

function namesInSchema(schema: Schema, prefix = ""): string[] {
  return Object.entries(schema.properties ?? {})
    .flatMap(([key, inner]) =>
      inner.properties && !PASSED_ON.has(prefix + key)
        ? namesInSchema(inner, `${prefix}${key}.`)
        : [prefix + key],
    )
    .sort();
}
