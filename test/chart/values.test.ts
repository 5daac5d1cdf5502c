import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { CHART, helm, notes, readChartYaml, serving, template, type Values } from "./renderedChart.ts";

interface Change {
  /** Another value than the default. */
  to: unknown;
  /** A line that the rendered manifests then have, and did not have before. */
  shows: string;
  /** Values without which this one has no effect. */
  given?: Values;
}

const CACHE = { cache: { enabled: true } };
const INGRESS = { ingress: { enabled: true, hosts: ["docs.example.com"] } };
const DIGEST = "0123456789abcdef".repeat(4);

/** Every value of values.yaml, changed once. */
const CHANGES: Readonly<Record<string, Change>> = {
  "staticExport.enabled": { to: false, shows: "root /etc/docs-server/disabled;" },
  "staticExport.bundleUrl": {
    to: "https://a.example.com/x",
    shows: Buffer.from("https://a.example.com/x").toString("base64"),
  },
  "staticExport.version": { to: "v2", shows: 'docs-server/static-export-version: "v2"' },
  features: {
    to: { search: true },
    shows: "Features asked for, which static pages bring along or not: search.",
  },
  "image.repository": {
    to: "registry.example.com/nginx",
    shows: 'image: "registry.example.com/nginx:1.30.4-alpine"',
  },
  "image.tag": { to: "1.0", shows: 'image: "docker.io/nginxinc/nginx-unprivileged:1.0"' },
  "image.digest": { to: `sha256:${DIGEST}`, shows: `nginx-unprivileged:1.30.4-alpine@sha256:${DIGEST}"` },
  "image.pullPolicy": { to: "Always", shows: "imagePullPolicy: Always" },
  imagePullSecrets: { to: [{ name: "registry-key" }], shows: "- name: registry-key" },
  nameOverride: { to: "other", shows: "app.kubernetes.io/name: other" },
  fullnameOverride: { to: "other", shows: "  name: other" },
  replicas: { to: 5, shows: "replicas: 5" },
  strategy: { to: { rollingUpdate: { maxSurge: 3 } }, shows: "maxSurge: 3" },
  revisionHistoryLimit: { to: 7, shows: "revisionHistoryLimit: 7" },
  "fetch.sha256": { to: DIGEST, shows: `value: "${DIGEST}"` },
  "fetch.allowHttp": { to: true, shows: 'value: "true"' },
  "fetch.timeLimitSeconds": { to: 71, shows: 'value: "71"' },
  "fetch.versionWaitSeconds": { to: 72, shows: 'value: "72"' },
  "fetch.connectTimeoutSeconds": { to: 73, shows: 'value: "73"' },
  "fetch.idleTimeoutSeconds": { to: 74, shows: 'value: "74"' },
  "fetch.minBytesPerSecond": { to: 75, shows: 'value: "75"' },
  "fetch.maxArchiveBytes": { to: 7_600_000_000, shows: 'value: "7600000000"' },
  "fetch.maxUnpackedBytes": { to: 7_700_000_000, shows: 'value: "7700000000"' },
  "fetch.maxEntries": { to: 7_800_000, shows: 'value: "7800000"' },
  "fetch.certificateAuthority.configMap": { to: "our-ca", shows: "name: our-ca" },
  "fetch.certificateAuthority.key": {
    to: "root.pem",
    shows: 'value: "/etc/docs-server-ca/root.pem"',
    given: { fetch: { certificateAuthority: { configMap: "our-ca" } } },
  },
  "fetch.extraEnv": { to: [{ name: "HTTPS_PROXY", value: "http://proxy" }], shows: "- name: HTTPS_PROXY" },
  "fetch.resources": { to: { limits: { memory: "79Mi" } }, shows: "memory: 79Mi" },
  "cache.enabled": { to: true, shows: "kind: PersistentVolumeClaim" },
  "cache.existingClaim": { to: "our-claim", shows: "claimName: our-claim", given: CACHE },
  "cache.size": { to: "9Gi", shows: "storage: 9Gi", given: CACHE },
  "cache.storageClass": { to: "-", shows: 'storageClassName: ""', given: CACHE },
  "cache.accessModes": { to: ["ReadWriteOnce"], shows: "- ReadWriteOnce", given: CACHE },
  "cache.annotations": { to: { kept: "yes" }, shows: 'kept: "yes"', given: CACHE },
  "cache.versions": { to: 9, shows: 'value: "9"', given: CACHE },
  "cache.fallbackAfterSeconds": { to: 91, shows: 'value: "91"', given: CACHE },
  "web.contentSecurityPolicy": {
    to: "default-src 'self'",
    shows: `add_header Content-Security-Policy "default-src 'self'" always;`,
  },
  "web.headers": { to: { "X-More": "1" }, shows: 'add_header X-More "1" always;' },
  "web.immutablePattern": { to: "^/_static/", shows: '"~^/_static/" yes;' },
  "web.accessLog": { to: false, shows: "\n      access_log off;" },
  "web.workerProcesses": { to: 9, shows: "worker_processes 9;" },
  "web.workerConnections": { to: 99, shows: "worker_connections 99;" },
  "web.drainSeconds": { to: 9, shows: 'command: [/bin/sleep, "9"]' },
  resources: { to: { limits: { memory: "99Mi" } }, shows: "memory: 99Mi" },
  "siteVolume.sizeLimit": { to: "9Gi", shows: "sizeLimit: 9Gi" },
  readinessProbe: { to: { periodSeconds: 9 }, shows: "periodSeconds: 9" },
  livenessProbe: { to: { periodSeconds: 99 }, shows: "periodSeconds: 99" },
  terminationGracePeriodSeconds: { to: 99, shows: "terminationGracePeriodSeconds: 99" },
  "service.type": { to: "NodePort", shows: "type: NodePort" },
  "service.port": { to: 81, shows: "port: 81" },
  "service.annotations": { to: { shown: "yes" }, shows: 'shown: "yes"' },
  "ingress.enabled": {
    to: true,
    shows: "kind: Ingress",
    given: { ingress: { hosts: ["docs.example.com"] } },
  },
  "ingress.className": { to: "internal", shows: "ingressClassName: internal", given: INGRESS },
  "ingress.annotations": { to: { shown: "yes" }, shows: 'shown: "yes"', given: INGRESS },
  "ingress.hosts": {
    to: ["other.example.com"],
    shows: '- host: "other.example.com"',
    given: { ingress: { enabled: true, hosts: ["docs.example.com"] } },
  },
  "ingress.tls": { to: [{ secretName: "our-tls" }], shows: "secretName: our-tls", given: INGRESS },
  "podDisruptionBudget.enabled": { to: false, shows: "" },
  "podDisruptionBudget.maxUnavailable": { to: "9%", shows: "maxUnavailable: 9%" },
  "networkPolicy.enabled": { to: false, shows: "" },
  "networkPolicy.from": { to: [{ podSelector: { matchLabels: { asks: "true" } } }], shows: 'asks: "true"' },
  "networkPolicy.egressPorts": { to: [8443], shows: "- { port: 8443, protocol: TCP }" },
  serviceAccountName: { to: "our-account", shows: "serviceAccountName: our-account" },
  podAnnotations: { to: { noted: "yes" }, shows: 'noted: "yes"' },
  podLabels: { to: { team: "docs" }, shows: "team: docs" },
  priorityClassName: { to: "high", shows: "priorityClassName: high" },
  nodeSelector: { to: { disk: "ssd" }, shows: "disk: ssd" },
  tolerations: { to: [{ key: "docs", operator: "Exists" }], shows: "key: docs" },
  affinity: {
    to: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
    shows: "nodeAffinity:",
  },
  "topologySpread.enabled": { to: false, shows: "" },
  "topologySpread.topologyKey": {
    to: "topology.kubernetes.io/zone",
    shows: "topologyKey: topology.kubernetes.io/zone",
  },
  "topologySpread.whenUnsatisfiable": { to: "DoNotSchedule", shows: "whenUnsatisfiable: DoNotSchedule" },
  podSecurityContext: { to: { runAsUser: 999 }, shows: "runAsUser: 999" },
  securityContext: { to: { runAsUser: 999 }, shows: "runAsUser: 999" },
};

/** Groups that are passed on to Kubernetes as they are: one value each. */
const PASSED_ON = new Set([
  "features", "strategy", "fetch.resources", "resources", "web.headers", "readinessProbe", "livenessProbe",
  "podSecurityContext", "securityContext", "cache.annotations", "service.annotations", "ingress.annotations",
  "podAnnotations", "podLabels", "nodeSelector", "affinity",
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
  test("are all changed by a test below", () => {
    expect(Object.keys(CHANGES).sort()).toEqual([...names].sort());
  });

  test("are all in the table of its README, with their plain defaults, and nothing else is", async () => {
    const defaults = await readChartYaml("values.yaml");
    const readme = await readFile(join(CHART, "README.md"), "utf8");
    const rows = [...readme.matchAll(/^\| `([\w.]+)`\s*\| (.*?)\s*\|/gm)].map(
      ([, name = "", shown = ""]) => ({
        name,
        shown,
      }),
    );
    expect(rows.map(({ name }) => name)).toEqual(names);
    for (const { name, shown } of rows) {
      const value = name.split(".").reduce<unknown>((group, key) => (group as Values)[key], defaults);
      const plain = (typeof value === "string" && value !== "" ? value : JSON.stringify(value)).replaceAll(
        /(?<=\[)"|"(?=\])/g,
        "",
      );
      const isDescribed = plain.length > 50 || (isGroup(value) && plain !== "{}");
      if (!isDescribed) expect(`${name}: ${shown}`).toBe(`${name}: \`${plain}\``);
    }
  });

  test("are all in the schema, which knows no others", async () => {
    const schema = JSON.parse(await readFile(join(CHART, "values.schema.json"), "utf8")) as Schema;
    expect(namesInSchema(schema)).toEqual([...names, "global"].sort());
  });

  test("pass helm's strict lint, with the defaults and with everything on", async () => {
    const all = serving({ ...CACHE, ...INGRESS, features: { search: true } });
    for (const values of [{}, all]) {
      const { code, output } = await helm(["lint", "--strict", CHART], values);
      expect(output).toContain("1 chart(s) linted, 0 chart(s) failed");
      expect(output).not.toMatch(/\[(WARNING|ERROR)\]/);
      expect(code).toBe(0);
    }
  });
});

describe.concurrent("a change of the value", () => {
  test.each(Object.entries(CHANGES))(
    "%s is seen in what is installed",
    async (name, { to, shows, given = {} }) => {
      const base = serving(given);
      const changed = withValue(base, name, to);
      let [before, after] = await Promise.all([manifestsOf(base), manifestsOf(changed)]);
      // what is in no manifest must at least be told
      if (after === before) [before, after] = await Promise.all([notes(base), notes(changed)]);
      expect(after).not.toBe(before);
      expect(after).toContain(shows);
      if (shows !== "") expect(before).not.toContain(shows);
    },
  );
});

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
    .flatMap(([key, inner]) => (inner.properties ? namesInSchema(inner, `${prefix}${key}.`) : [prefix + key]))
    .sort();
}
