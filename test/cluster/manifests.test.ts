import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CHART, clusterValues } from "./installation.ts";
import { runCommand } from "../programs/commands.ts";

const LINK = { enabled: true, bundleUrl: "https://store.example.com/bundle.tar.gz", version: "1" };

/** Each switches something on that adds or changes manifests. */
const VALUES: Record<string, Record<string, unknown>> = {
  "as the component sets them": { staticExport: LINK },
  "without a static export": { staticExport: { enabled: false } },
  "with a persistent cache": { staticExport: LINK, cache: { enabled: true } },
  "with an ingress": {
    staticExport: LINK,
    ingress: {
      enabled: true,
      className: "nginx",
      hosts: ["docs.example.com"],
      tls: [{ secretName: "docs-tls", hosts: ["docs.example.com"] }],
    },
  },
  "with several replicas": { staticExport: LINK, replicas: 3 },
};

test.each(Object.keys(VALUES))(
  "the API server accepts the manifests %s, strictly and as Pod Security «restricted»",
  async (name) => {
    const folder = await mkdtemp(join(tmpdir(), "docs-hosting-manifests-"));
    const namespace = `manifests-${randomBytes(4).toString("hex")}`;
    try {
      await runCommand("kubectl", ["create", "namespace", namespace]);
      const restricted = ["enforce", "warn"].map((mode) => `pod-security.kubernetes.io/${mode}=restricted`);
      await runCommand("kubectl", ["label", "namespace", namespace, ...restricted]);
      const values = join(folder, "values.json");
      await writeFile(values, JSON.stringify({ ...clusterValues(), ...VALUES[name] }));
      const helm = process.env["HELM"] ?? "helm";
      const manifests = await runCommand(helm, [
        ...["template", "docs", CHART, "--namespace", namespace, "--values", values],
      ]);
      const applied = spawnSync(
        "kubectl",
        ["apply", "--namespace", namespace, "--dry-run=server", "--validate=strict", "--filename=-"],
        { input: manifests, encoding: "utf8" },
      );
      expect(applied.stderr).toBe(""); // warnings too
      expect(applied.status).toBe(0);
      expect(applied.stdout).toContain("deployment.apps/docs-docs-server created (server dry run)");
    } finally {
      await runCommand("kubectl", ["delete", "namespace", namespace, "--wait=false"]);
      await rm(folder, { recursive: true });
    }
  },
);

test("a field that no manifest has is refused by the same check", () => {
  const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, dta: {} };
  const applied = spawnSync("kubectl", ["apply", "--dry-run=server", "--validate=strict", "--filename=-"], {
    input: JSON.stringify(manifest),
    encoding: "utf8",
  });
  expect(applied.stderr).toContain('unknown field "dta"');
});
