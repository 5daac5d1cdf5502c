// Runs in its own namespaces: starts the node, runs the tests on it, and ends.
import { join } from "node:path";
import { writeKubectl } from "../programs/goPrograms.ts";
import { runVitest } from "../programs/runVitest.ts";
import { HOST_ADDRESS } from "./node/configuration.ts";
import { offerControl } from "./node/control.ts";
import { WEB_IMAGE } from "./node/images.ts";
import { endWithParent } from "./node/isolation.ts";
import { startSingleNode } from "./node/singleNode.ts";

endWithParent();
const stop = () => undefined; // Ctrl-C reaches the tests as well: wait for their end
process.on("SIGINT", stop).on("SIGTERM", stop);
const folder = given("NODE_FOLDER");
const kubenode = given("KUBENODE");
const debianRoot = given("NODE_DEBIAN_ROOT");
const started = performance.now();
const node = await startSingleNode(
  folder,
  { kubenode, nameserver: given("NAMESERVER") },
  { root: debianRoot, commandFolders: [join(debianRoot, "usr/bin"), join(debianRoot, "usr/sbin")] },
  given("NODE_CGROUP"),
);
console.log(`test:cluster: the node is ready after ${Math.round((performance.now() - started) / 1000)} s`);
await writeKubectl(folder, kubenode);
const control = await offerControl(node);
const tests = runVitest(join(import.meta.dirname, "vitest.config.ts"), {
  KUBECONFIG: node.kubeconfig,
  PATH: `${folder}:${process.env["PATH"] ?? ""}`,
  CLUSTER_HOST_ADDRESS: HOST_ADDRESS,
  CLUSTER_WEB_IMAGE: `${WEB_IMAGE.repository}:${WEB_IMAGE.tag}`,
  CLUSTER_WEB_IMAGE_FILE: join(folder, "images/web.tar"),
  CLUSTER_NODE_CONTROL: control,
});
try {
  process.exitCode = await Promise.race([tests, node.failed]);
} finally {
  await node.stop();
}
process.exit();

function given(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: this script is started by main.ts.`);
  return value;
}
