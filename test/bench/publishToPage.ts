import { spawn } from "node:child_process";
import { join } from "node:path";

const CLUSTER = join(import.meta.dirname, "../cluster/main.ts");

/** From the end of a job to its first page, on a Kubernetes node: it is in `test/cluster/bench`, because it needs the node. */
export async function publishToPage(): Promise<boolean> {
  const child = spawn(process.execPath, [CLUSTER, "--project", "bench"], {
    stdio: "inherit",
    env: { ...process.env, CLUSTER_BENCH: "1" },
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("exit", (code) => resolve(code === 0));
  });
}
