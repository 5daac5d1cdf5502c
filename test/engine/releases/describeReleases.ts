// Tests that need a cluster: on every available engine, where KUBECONFIG names a cluster. The CLI needs Pulumi's Kubernetes
// plugin beside it, and every test needs `helm` to read the cluster.
import { describe } from "vitest";
import { findCommand } from "../../programs/commands.ts";
import { availableEngines, type EngineKind } from "../index.ts";
import { findHelm } from "../local/kubernetes/helmCommand.ts";

export function helm(): string {
  const path = findHelm(process.env);
  if (!path) throw new Error("there is no helm");
  return path;
}

export function describeReleases(title: string, tests: (kind: EngineKind) => void): void {
  const { kinds, skipped } = availableEngines();
  const reasons = skipped ? [skipped] : [];
  const usable = kinds.filter((kind) => {
    const lacking = whatLacks(kind);
    if (lacking) reasons.push(`${kind}: ${lacking}`);
    return !lacking;
  });
  for (const reason of reasons) console.info(`${title}: not run on ${reason}`);
  if (usable.length === 0) {
    describe.skip(`${title} (${reasons.join("; ")})`, () => tests("local"));
    return;
  }
  describe.each(usable)(`${title}, on the %s engine`, tests);
}

function whatLacks(kind: EngineKind): string | undefined {
  if (!process.env["KUBECONFIG"]) return "KUBECONFIG names no cluster";
  if (!findHelm(process.env)) return "there is no `helm` on PATH, and HELM names none";
  if (kind === "cli" && findCommand("pulumi-resource-kubernetes") === undefined) {
    return "Pulumi's Kubernetes plugin is not on PATH";
  }
  return undefined;
}
