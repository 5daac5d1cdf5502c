import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serving, template, type Values } from "../chart/renderedChart.ts";
import { clusterValues } from "./installation.ts";
import { kubectlIn } from "./kubectl.ts";

const namespace = `manifests-${randomBytes(4).toString("hex")}`;
const kubectl = kubectlIn(namespace);
beforeAll(async () => {
  await kubectl("create", "namespace", namespace);
  const restricted = ["enforce", "warn"].map((mode) => `pod-security.kubernetes.io/${mode}=restricted`);
  await kubectl("label", "namespace", namespace, ...restricted);
});
afterAll(() => kubectl("delete", "namespace", namespace, "--wait=false"));

/** Sends the manifests to the API server as a dry run. */
function apply(manifests: string) {
  const args = ["apply", "--namespace", namespace, "--dry-run=server", "--validate=strict", "--filename=-"];
  return spawnSync("kubectl", args, { input: manifests, encoding: "utf8" });
}

const ingress = {
  enabled: true,
  className: "nginx",
  hosts: ["docs.example.com"],
  tls: [{ secretName: "docs-tls", hosts: ["docs.example.com"] }],
};

/** Values that add or change manifests, one switch each. */
test.each<[string, Values]>([
  ["as the component sets them", serving()],
  ["without a static export", {}],
  ["with an ingress", serving({ ingress })],
  ["with an autoscaler", serving({ autoscaling: { enabled: true } })],
  [
    "with the store alone let through",
    serving({ networkPolicy: { egressTo: [{ ipBlock: { cidr: "10.1.0.0/16" } }] } }),
  ],
])(
  "the API server accepts the manifests %s, strictly and as Pod Security «restricted»",
  async (_, values) => {
    const rendered = await template({ ...clusterValues(), ...values }, "--namespace", namespace);
    const { status, stdout, stderr } = apply(rendered.stdout);
    expect(stderr).toBe(""); // warnings, too
    expect(status).toBe(0);
    expect(stdout).toContain("deployment.apps/docs-docs-server created (server dry run)");
  },
);

test("the same check refuses an unknown field", () => {
  const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, dta: {} };
  expect(apply(JSON.stringify(manifest)).stderr).toContain('unknown field "dta"');
});
