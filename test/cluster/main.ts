// `npm test -- cluster`: the chart, the example and SelfHostedDocs on a real Kubernetes cluster. Uses the cluster of KUBECONFIG,
// else starts a single node and stops it at the end.
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareBareDebian } from "../programs/bareDebian.ts";
import { findCommand } from "../programs/commands.ts";
import { prepareDebianPackages } from "../programs/debianPackages.ts";
import {
  prepareCosign,
  prepareCrane,
  prepareHelm,
  prepareKubenode,
  prepareNameserver,
  prepareRegistry,
  prepareValidation,
  prepareVersitygw,
} from "../programs/goPrograms.ts";
import { runVitest } from "../programs/runVitest.ts";
import { runIsolated } from "./node/isolation.ts";
import { nodeName, removeLeftovers, removeNode } from "./node/leftovers.ts";

/** Judges what Helm renders, as in `test/chart`. */
const VALIDATION_SOURCE = join(import.meta.dirname, "../chart/validation");

process.exitCode = process.env["KUBECONFIG"] === undefined ? await onOwnNode() : await onGivenCluster();

async function onGivenCluster(): Promise<number> {
  if (findCommand("kubectl") === undefined) throw new Error("KUBECONFIG is set, but kubectl is not on PATH.");
  return runVitest(join(import.meta.dirname, "vitest.config.ts"), {
    HELM: await prepareHelm(say),
    VALIDATION: await prepareValidation(VALIDATION_SOURCE, say),
  });
}

async function onOwnNode(): Promise<number> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    throw new Error("Set KUBECONFIG to a cluster for tests: starting one's own node needs Linux and root.");
  }
  const debian = await prepareDebianPackages(say, { mmdebstrap: "mmdebstrap" });
  const helm = await prepareHelm(say);
  const kubenode = await prepareKubenode(join(import.meta.dirname, "node/kubenode"), say);
  const nameserver = await prepareNameserver(join(import.meta.dirname, "node/nameserver"), say);
  const programs = {
    HELM: helm,
    REGISTRY: await prepareRegistry(say),
    CRANE: await prepareCrane(say),
    VERSITYGW: await prepareVersitygw(say),
    COSIGN: await prepareCosign(join(import.meta.dirname, "../copies/cosign"), say),
    VALIDATION: await prepareValidation(VALIDATION_SOURCE, say),
    BARE_DEBIAN: await prepareBareDebian(say),
  };
  await removeLeftovers();
  const name = nodeName(process.pid);
  const folder = join(tmpdir(), name);
  await mkdir(folder, { mode: 0o700 });
  const stop = () => undefined; // Ctrl-C reaches the script as well: wait for its end
  process.on("SIGINT", stop).on("SIGTERM", stop);
  try {
    return await runIsolated(join(import.meta.dirname, "onSingleNode.ts"), process.argv.slice(2), {
      ...process.env,
      NODE_FOLDER: folder,
      NODE_CGROUP: name,
      NODE_DEBIAN_ROOT: debian.root,
      KUBENODE: kubenode,
      NAMESERVER: nameserver,
      ...programs,
    });
  } finally {
    await removeNode(name);
  }
}

function say(what: string): void {
  console.log(`test:cluster: ${what}`);
}
