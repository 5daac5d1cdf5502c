import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "vitest";
import type { Installation } from "./installation.ts";
import { runCommand } from "../programs/commands.ts";

/**
 * A volume for one claim, on a node that is this machine; on a cluster of `KUBECONFIG` its own storage class provides
 * the volume.
 */
export async function provideVolume(
  context: Pick<TestContext, "onTestFinished">,
  { namespace }: Installation,
  storageClass: string,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "docs-hosting-volume-"));
  await chmod(folder, 0o777); // the kubelet gives such a volume to no group
  const name = `${namespace}-cache`;
  const volume = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      capacity: { storage: "100Mi" },
      accessModes: ["ReadWriteOnce"],
      storageClassName: storageClass,
      hostPath: { path: folder },
      persistentVolumeReclaimPolicy: "Retain",
      claimRef: { namespace, name: "docs-docs-server-cache" },
    },
  };
  await runCommand("kubectl", ["create", "--filename=-"], { input: JSON.stringify(volume) });
  context.onTestFinished(async () => {
    await runCommand("kubectl", ["delete", "persistentvolume", name, "--wait=false"]);
    await rm(folder, { recursive: true, force: true });
  });
}
