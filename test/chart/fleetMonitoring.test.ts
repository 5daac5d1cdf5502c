// Metrics and alert rules of examples/fleet. No registry of the tests has kube-state-metrics, so the tests check that the rules
// use the metrics of its configuration. With `promtool` on PATH, that checks the rules, too.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { findCommand, runCommand } from "../programs/commands.ts";
import { FLEET, ofKind, renderFleet } from "./fleetChart.ts";

interface Metrics {
  spec: {
    resources: {
      groupVersionKind: Record<string, string>;
      metricNamePrefix: string;
      labelsFromPath: Record<string, string[]>;
      metrics: {
        name: string;
        each: { gauge: { path: string[]; labelsFromPath?: Record<string, string[]> } };
      }[];
    }[];
  };
}
interface Rules {
  groups: { rules: { alert: string; expr: string; for: string; annotations: Record<string, string> }[] }[];
}

const read = async (name: string): Promise<unknown> =>
  parse(await readFile(join(FLEET, "monitoring", name), "utf8"));

/** Metrics that kube-state-metrics has by itself. */
const OF_CRONJOBS = [
  "kube_cronjob_status_last_successful_time",
  "kube_cronjob_created",
  "kube_cronjob_labels",
];

test("the rules use metrics of the configuration and their labels; each metric is used or documented", async () => {
  const { spec } = (await read("kube-state-metrics.yaml")) as Metrics;
  const [resource] = spec.resources;
  if (!resource) throw new Error("no resource");
  const made = new Map(
    resource.metrics.map(({ name, each }) => [
      `${resource.metricNamePrefix}_${name}`,
      Object.keys({ ...resource.labelsFromPath, ...each.gauge.labelsFromPath }),
    ]),
  );
  const { groups } = (await read("alerts.yaml")) as Rules;
  const rules = groups.flatMap((group) => group.rules);
  const asked = rules.flatMap(({ expr }) => expr.match(/\b(docs_fleet|kube)_\w+/g) ?? []);
  expect(asked.filter((name) => !made.has(name) && !OF_CRONJOBS.includes(name))).toEqual([]);
  const rulesText = JSON.stringify(rules);
  expect([...made.keys()].filter((name) => !rulesText.includes(name))).toEqual([]);
  for (const { alert, expr } of rules.filter((rule) => !rule.expr.includes("kube_"))) {
    const labels = [...expr.matchAll(/(docs_fleet_\w+)\{([^}]*)\}/g)].flatMap(
      ([, metric = "", matchers = ""]) =>
        [...matchers.matchAll(/(\w+)=/g)].map(([, label]) => [made.get(metric), label] as const),
    );
    expect(labels.length, alert).toBeGreaterThan(0);
    for (const [known, label] of labels) expect(known).toContain(label);
  }
});

test("the metrics are of the stacks that the chart makes, and of outputs that the program has", async () => {
  const { spec } = (await read("kube-state-metrics.yaml")) as Metrics;
  const [resource] = spec.resources;
  const [stack] = ofKind(await renderFleet(FLEET), "Stack");
  const { group, version, kind } = resource?.groupVersionKind ?? {};
  expect([`${group ?? ""}/${version ?? ""}`, kind]).toEqual([stack?.apiVersion, stack?.kind]);
  expect(resource?.labelsFromPath["fleet"]).toEqual(["metadata", "labels", "app.kubernetes.io/name"]);
  expect(stack?.metadata.labels["app.kubernetes.io/name"]).toBe("docs-fleet");
  const program = await readFile(join(FLEET, "index.ts"), "utf8");
  const outputs = /export const \{ (.*) \} = fleetOutputs/.exec(program)?.[1]?.split(", ");
  const paths = resource?.metrics.map(({ each }) => each.gauge.path) ?? [];
  expect(
    paths
      .filter(([, part]) => part === "outputs")
      .map(([, , output]) => output)
      .sort(),
  ).toEqual(outputs?.sort());
});

test("promtool accepts the rules", async ({ skip }) => {
  if (findCommand("promtool") === undefined) skip("there is no promtool on PATH");
  const said = await runCommand("promtool", ["check", "rules", join(FLEET, "monitoring/alerts.yaml")]);
  expect(said).toContain("SUCCESS: 5 rules found");
});
