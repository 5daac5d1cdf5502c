import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "vitest";
import type { Installation } from "./installation.ts";
import { runCommand } from "../programs/commands.ts";

/** Folder for volumes on a node that is this machine; a cluster of `KUBECONFIG` provides volumes itself. */
const VOLUMES = process.env["CLUSTER_VOLUMES"];
/** On such a cluster; its default class when there is none. */
const STORAGE_CLASS = VOLUMES === undefined ? (process.env["CLUSTER_STORAGE_CLASS"] ?? "") : "test";

/** Values of the chart for a cache that this cluster can have. */
export const CACHE_VALUES = {
  cache: { enabled: true, storageClass: STORAGE_CLASS, accessModes: ["ReadWriteOnce"], size: "100Mi" },
  replicas: VOLUMES === undefined ? 1 : 2, // of which one node may have to hold all
};

/** Makes the volume that the installation's claim waits for, where the cluster has nobody who does. */
export async function provideVolume(
  context: Pick<TestContext, "onTestFinished">,
  { namespace }: Installation,
): Promise<void> {
  if (VOLUMES === undefined) return;
  const folder = join(VOLUMES, namespace);
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o777); // the kubelet gives such a volume to no group
  const name = `${namespace}-cache`;
  const volume = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      capacity: { storage: "100Mi" },
      accessModes: ["ReadWriteOnce"],
      storageClassName: STORAGE_CLASS,
      hostPath: { path: folder },
      persistentVolumeReclaimPolicy: "Retain",
      claimRef: { namespace, name: "docs-docs-server-cache" },
    },
  };
  await runCommand("kubectl", ["create", "--filename=-"], { input: JSON.stringify(volume) });
  context.onTestFinished(async () => {
    await runCommand("kubectl", ["delete", "persistentvolume", name, "--wait=false"]);
  });
}
