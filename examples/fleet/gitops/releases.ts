import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A site's release, for Flux: the chart of the namespace (flux/team-a.yaml), and the image by its digest. */
export function helmRelease(name: string, namespace: string, values: object): string {
  const release = {
    apiVersion: "helm.toolkit.fluxcd.io/v2",
    kind: "HelmRelease",
    metadata: { name, namespace },
    spec: {
      interval: "1h",
      chartRef: { kind: "OCIRepository", name: "docs-server" },
      install: { remediation: { retries: 3 } },
      upgrade: { remediation: { retries: 3, strategy: "rollback" } },
      values,
    },
  };
  return `${JSON.stringify(release, null, 2)}\n`; // which is YAML
}

/** A run that changes nothing leaves no trace, not even a new time. */
export function writeIfChanged(path: string, text: string): void {
  if (textOf(path) === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // the file does not exist yet
  }
}

/** Flux uninstalls what is no longer in the folder. */
export function removeOthers(folder: string, names: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  const kept = new Set(names.map((name) => `${name}.yaml`));
  for (const file of readdirSync(folder)) {
    if (file.endsWith(".yaml") && !kept.has(file)) rmSync(join(folder, file));
  }
}
