import { runCommand } from "../programs/commands.ts";
import type { KubernetesObject } from "./kubectl.ts";

/**
 * Evicts a pod by the API that drains of nodes use: its processes get SIGTERM and their grace period.
 * @throws if a disruption budget refuses
 */
export async function evict({ metadata: { name, namespace = "" } }: KubernetesObject): Promise<void> {
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } };
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
  await runCommand("kubectl", ["create", "--raw", path, "--filename", "-"], {
    input: JSON.stringify(eviction),
  });
}
