import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { KUBERNETES_VERSION } from "../programs/goPrograms.ts";
import { nginxProblems } from "./nginxConfiguration.ts";
import {
  CHART,
  helm,
  manifestsIn,
  only,
  podTemplate,
  readChartYaml,
  render,
  serving,
  servingImage,
  template,
  type Values,
} from "./renderedChart.ts";

/** Everything on, so that each value counts. */
const ALL_ON: Values = serving({
  autoscaling: { enabled: true },
  ingress: { enabled: true, hosts: ["docs.example.com"] },
  httpRoute: { enabled: true, parentRefs: [{ name: "web" }] },
  route: { enabled: true },
  service: { type: "LoadBalancer" },
  fetch: { certificateAuthority: { configMap: "our-ca" } },
});

/** Without these, there is nothing to serve or no host: a sentence says what to set. */
const TOLD_OTHERWISE: Readonly<Record<string, string>> = {
  "staticExport.bundleUrl": "staticExport.bundleUrl must be a string",
  "ingress.hosts": "ingress.hosts must name at least one host",
  "httpRoute.parentRefs": "httpRoute.parentRefs must name at least one Gateway",
  resources: "resources.requests.cpu is not set",
  "resources.requests": "resources.requests.cpu is not set",
  "resources.requests.cpu": "resources.requests.cpu is not set",
};

const isGroup = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Each value and each group of the file, at any depth. */
function namesIn(values: Values, prefix = ""): string[] {
  return Object.entries(values).flatMap(([key, value]) => [
    prefix + key,
    ...(isGroup(value) ? namesIn(value, `${prefix}${key}.`) : []),
  ]);
}

function withNull(values: Values, name: string): Values {
  const [key = "", ...rest] = name.split(".");
  const inner = rest.length > 0 ? withNull((values[key] ?? {}) as Values, rest.join(".")) : null;
  return { ...values, [key]: inner };
}

let defaults: Values;
let meanings: Record<string, unknown>;
beforeAll(async () => {
  defaults = await readChartYaml("values.yaml");
  const text = await readFile(join(CHART, "templates/_nulls.tpl"), "utf8");
  const table = /meaningsOfNull" -\}\}\n([^]*?)\{\{- end/.exec(text)?.[1] ?? "";
  meanings = parse(table) as Record<string, unknown>;
});

const AT_THE_TOP = ["staticExport.version", "readinessProbe.periodSeconds"]; // a sample, for the check of the list

describe.concurrent("a value that is null", () => {
  test.for(["with everything on", "with the defaults"])(
    "is left out or refused by its name, %s: each of values.yaml, and Kubernetes accepts the rest",
    { timeout: 600_000 },
    async (which) => {
      const base = which === "with everything on" ? ALL_ON : serving();
      const names = namesIn(defaults).filter((name) => !name.startsWith("web.headers."));
      expect(names).toEqual(expect.arrayContaining(AT_THE_TOP));
      const results: Record<string, string> = {};
      for (const name of names) {
        const { code, stdout, output } = await template(withNull(base, name));
        if (code === 0) {
          expect(nginxProblems(stdout), name).toEqual([]);
          // Go's way to write nothing, and what a number makes of it
          expect(output, name).not.toMatch(/<nil>|<no value>|%!|"~"/);
          results[name] = "rendered";
        } else {
          expect(output, name).toContain(TOLD_OTHERWISE[name] ?? `${name} is null`);
          expect(output, name).not.toMatch(/nil pointer|error calling (?!fail|include)/);
          results[name] = "refused";
        }
      }
      // the two say the same: what the table calls needed is refused where it counts
      const needed = Object.keys(meanings).filter((name) => meanings[name] === "needed");
      if (which === "with everything on") {
        expect(needed.filter((name) => results[name] !== "refused")).toEqual([]);
      }
      expect(Object.values(results)).toContain("rendered");
    },
  );

  test("has a meaning in the table, whatever its name", () => {
    const passedOn = Object.keys(meanings).filter((name) => isGroup(valueOf(defaults, name)));
    const isInside = (name: string) =>
      passedOn.some(
        (group) => name.startsWith(`${group}.`) && (meanings[group] === "leftOut" || !hasTableEntries(group)),
      );
    const missing = namesIn(defaults).filter((name) => !(name in meanings) && !isInside(name));
    expect(missing).toEqual([]);
  });
});

function valueOf(values: Values, name: string): unknown {
  return name.split(".").reduce<unknown>((value, key) => (isGroup(value) ? value[key] : undefined), values);
}

function hasTableEntries(group: string): boolean {
  return Object.keys(meanings).some((name) => name.startsWith(`${group}.`));
}

describe("a value that was added after chart 0.3.0", () => {
  /** As values of 0.3.0, where groups had these keys, too. */
  const ADDED = [
    "commonLabels", "dnsConfig", "dnsPolicy", "fetch.maxPreviousBytes", "hostAliases", "lookupReplicaSets", "readinessProbe.initialDelaySeconds",
    "runtimeClassName", "service.externalTrafficPolicy", "service.ipFamilies", "service.ipFamilyPolicy", "service.loadBalancerClass",
    "service.loadBalancerSourceRanges", "service.nodePort", "web.askOtherPods",
  ]; // prettier-ignore

  test("is its default in a release with the values of 0.3.0, as by `helm upgrade --reuse-values`", async (context) => {
    // Helm then takes the defaults of the release before in place of the chart's
    const chart = await mkdtemp(join(tmpdir(), "chart-"));
    context.onTestFinished(() => rm(chart, { recursive: true }));
    await cp(CHART, chart, { recursive: true });
    await writeFile(join(chart, "values.yaml"), JSON.stringify(ADDED.reduce(without, defaults)));
    for (const values of [serving(), ALL_ON, servingImage("volume")]) {
      const { code, stdout, output } = await helm(
        ["template", "docs", chart, "--kube-version", KUBERNETES_VERSION],
        values,
      );
      expect(code, output).toBe(0);
      expect(manifestsIn(stdout)).toEqual(await render(values));
    }
  });

  test("is known: others are those of 0.3.0", async () => {
    const recorded = await readFile(join(import.meta.dirname, "earlierValues/0.3.0.txt"), "utf8");
    const names = namesIn(defaults).filter(
      (name) => !isGroup(valueOf(defaults, name)) || ADDED.includes(name),
    );
    expect(names.filter((name) => !recorded.split("\n").includes(name)).sort()).toEqual(ADDED);
  });

  function without(values: Values, name: string): Values {
    const [key = "", ...rest] = name.split(".");
    if (rest.length > 0) return { ...values, [key]: without(values[key] as Values, rest.join(".")) };
    return Object.fromEntries(Object.entries(values).filter(([each]) => each !== key));
  }
});

describe("null", () => {
  test("of `replicas` leaves the number to another program, as KEDA needs it", async () => {
    const { spec } = only(await render(serving({ replicas: null })), "Deployment");
    expect(spec).not.toHaveProperty("replicas");
    expect(only(await render(serving({ replicas: 0 })), "Deployment").spec).toHaveProperty("replicas", 0);
  });

  test("of `web.immutablePattern` makes no file immutable", async () => {
    const manifests = await render(serving({ web: { immutablePattern: null } }));
    const conf = Object.entries(only(manifests, "ConfigMap").data).find(([name]) =>
      /nginx\.conf$/.test(name),
    );
    expect(conf?.[1]).toMatch(/map \$uri \$named_after_content \{\s+default no;\s+\}/);
  });

  test("of a probe, of resources and of a security context writes none of it", async () => {
    const values = { livenessProbe: null, resources: null, securityContext: null, podSecurityContext: null };
    const { spec } = podTemplate(await render(serving(values)));
    expect(spec).not.toHaveProperty("securityContext");
    const [nginx] = spec.containers;
    for (const field of ["livenessProbe", "resources", "securityContext"]) {
      expect(nginx).not.toHaveProperty(field);
    }
    expect(nginx).toHaveProperty("readinessProbe");
  });
});
