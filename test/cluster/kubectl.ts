import { runCommand } from "../programs/commands.ts";

/** Fields of a Kubernetes object that the tests read. */
export interface KubernetesObject {
  kind: string;
  metadata: { name: string; uid: string; namespace?: string; annotations?: Record<string, string> };
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
  /** Of a Secret: base64. */
  data?: Record<string, string>;
}

/** Runs `kubectl` in a namespace. @returns its standard output */
export type Kubectl = (...args: string[]) => Promise<string>;

export function kubectlIn(namespace: string): Kubectl {
  return (...args) => runCommand("kubectl", ["--namespace", namespace, ...args]);
}

/** @param what as in `kubectl get`, such as "pods" */
export async function list(kubectl: Kubectl, ...what: string[]): Promise<KubernetesObject[]> {
  return (JSON.parse(await kubectl("get", ...what, "--output=json")) as { items: KubernetesObject[] }).items;
}
