// A Kubernetes node of one machine. It uses fixed addresses, ports and folders, so that it must run in its own network, mount and
// process namespaces (see `isolation.ts`), whose end also ends all of it.
import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { runCommand } from "../../programs/commands.ts";
import type { DebianPackages } from "../../programs/debianPackages.ts";
import { kubeconfig, makeCertificates } from "./certificates.ts";
import { endPods, makeCgroups, removeCgroups } from "./cgroups.ts";
import {
  apiServerFlags,
  containerdConfiguration,
  controllerFlags,
  controllerManagerFlags,
  etcdFlags,
  HOST_ADDRESS,
  kubeletConfiguration,
  kubeletFlags,
  nameServerConfiguration,
  NODE_ADDRESS,
  NODE_NAME,
  podNetwork,
  proxyConfiguration,
  proxyFlags,
} from "./configuration.ts";
import { makeImages } from "./images.ts";

/** Longer on a busy machine only. */
const READY_LIMIT_MS = 180_000;

export interface SingleNode {
  kubeconfig: string;
  /** Rejects when a program of the node ends by itself. */
  failed: Promise<never>;
  /** As after a power failure: all programs and pods end at once, and the node starts again from its disk. */
  restart(): Promise<void>;
  /** @param file as `docker save` writes it */
  importImage(file: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param folder for all written files
 * @param programs binaries: of the Kubernetes programs, and of the cluster's name server
 * @param cgroup name of the cgroup of all pods
 */
export async function startSingleNode(
  folder: string,
  { kubenode, nameserver }: { kubenode: string; nameserver: string },
  debian: DebianPackages,
  cgroup: string,
): Promise<SingleNode> {
  const file = (name: string) => join(folder, name);
  for (const name of ["pki", "log", "cni", "images", "containerd"]) {
    await mkdir(file(name), { recursive: true });
  }
  await Promise.all([makeNetwork(), makeCertificates(file("pki")), hideHostFolders(), makeCgroups(cgroup)]);
  const images = makeImages(file("images"), debian);
  images.catch(() => undefined); // awaited below
  await writeFile(file("kubeconfig"), kubeconfig(file("pki")));
  await writeFile(file("containerd.toml"), containerdConfiguration(folder, debian));
  await writeFile(file("cni/10-bridge.conflist"), JSON.stringify(podNetwork(folder)));
  await writeFile(file("kubelet.yaml"), kubeletConfiguration(folder, cgroup));
  await writeFile(file("kube-proxy.yaml"), proxyConfiguration(folder));
  await writeFile(file("Corefile"), nameServerConfiguration(folder));

  const programs = new Map<string, ChildProcess>();
  let reject: (reason: Error) => void = () => undefined;
  const failed = new Promise<never>((_resolve, fail) => (reject = fail));
  failed.catch(() => undefined); // the caller that awaits it gets the error
  const path = [...debian.commandFolders, process.env["PATH"]].join(":");
  const start = (name: string, command: string, args: string[]) => {
    const log = createWriteStream(file(`log/${name}.log`), { flags: "a" });
    // in its own group: Ctrl-C is for the tests, not for the node under them
    const child = spawn(command, args, {
      cwd: folder,
      env: { ...process.env, PATH: path },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      if (programs.get(name) !== child) return; // stopped on purpose
      void readFile(file(`log/${name}.log`), "utf8").then((text) => {
        const last = text.trimEnd().split("\n").slice(-5).join("\n");
        reject(new Error(`${name} ended with ${String(code ?? signal)}:\n${last}`));
      });
    });
    programs.set(name, child);
  };
  const startServers = () => {
    start("etcd", "etcd", etcdFlags(folder));
    start("containerd", "containerd", ["--config", file("containerd.toml")]);
    start("kube-apiserver", kubenode, ["kube-apiserver", ...apiServerFlags(folder)]);
  };
  // these exit when no API server answers them in time
  const startControllers = () => {
    start("kube-controller-manager", kubenode, [
      "kube-controller-manager",
      ...controllerManagerFlags(folder),
    ]);
    start("kube-scheduler", kubenode, ["kube-scheduler", ...controllerFlags(folder)]);
    start("kube-proxy", kubenode, ["kube-proxy", ...proxyFlags(folder)]);
    start("nameserver", nameserver, ["-conf", file("Corefile")]);
  };
  const endAll = () => {
    const children = [...programs.values()];
    programs.clear();
    for (const child of children) child.kill("SIGKILL");
  };
  const socket = file("containerd/c.sock");
  const ctr = (args: string[]) =>
    runCommand("ctr", ["--address", socket, ...args], { env: { ...process.env, PATH: path } });
  const kubectl = (args: string[]) =>
    runCommand(kubenode, ["kubectl", `--kubeconfig=${file("kubeconfig")}`, ...args]);

  const importImage = async (file: string) => {
    await ctr(["--namespace", "k8s.io", "images", "import", file]);
  };
  const ready = async (imported: readonly string[]) => {
    await until("containerd answers", () => ctr(["version"])); // the kubelet exits when it finds no runtime
    for (const image of imported) await importImage(image);
    start("kubelet", kubenode, ["kubelet", ...kubeletFlags(folder)]);
    await until("the API server is ready", () => kubectl(["get", "--raw", "/readyz"]));
    startControllers();
    await until("the node is registered", () => kubectl(["get", "node", NODE_NAME]));
    await kubectl([
      "wait",
      "--for=condition=Ready",
      `node/${NODE_NAME}`,
      `--timeout=${READY_LIMIT_MS / 1000}s`,
    ]);
    await until("pods may be made", () => kubectl(["get", "serviceaccount", "default"]));
  };
  startServers();
  await Promise.race([images.then(ready), failed]);

  return {
    kubeconfig: file("kubeconfig"),
    failed,
    restart: async () => {
      const { metadata } = await lease(kubectl);
      endAll();
      await endPods(cgroup);
      startServers();
      await ready([]);
      // the API server's status of the node may be from before
      await until("the kubelet is heard of again", async () => {
        if ((await lease(kubectl)).metadata.resourceVersion === metadata.resourceVersion) {
          throw new Error("not yet");
        }
      });
    },
    importImage,
    stop: async () => {
      endAll();
      await removeCgroups(cgroup);
    },
  };
}

/** The lease by which the kubelet reports that it is alive. */
async function lease(
  kubectl: (args: string[]) => Promise<string>,
): Promise<{ metadata: { resourceVersion: string } }> {
  const text = await kubectl(["--namespace=kube-node-lease", "get", "lease", NODE_NAME, "--output=json"]);
  return JSON.parse(text) as { metadata: { resourceVersion: string } };
}

async function until(what: string, attempt: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + READY_LIMIT_MS;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (performance.now() > end) {
        throw new Error(`waited ${READY_LIMIT_MS} ms until ${what}`, { cause: error });
      }
      await wait(100);
    }
  }
}

async function makeNetwork(): Promise<void> {
  const ip = (...args: string[]) => runCommand("ip", args);
  await ip("link", "set", "lo", "up");
  const bridges = { node0: `${NODE_ADDRESS}/32`, cni0: `${HOST_ADDRESS}/16` };
  for (const [bridge, address] of Object.entries(bridges)) {
    await ip("link", "add", bridge, "type", "bridge");
    await ip("address", "add", address, "dev", bridge);
    await ip("link", "set", bridge, "up");
  }
  await ip("route", "add", "default", "dev", "node0"); // unreachable; programs refuse to start without one
  await writeFile("/proc/sys/net/ipv4/ip_forward", "1");
}

/** Folders that all nodes on a machine would share: in this mount namespace they are empty and private. */
async function hideHostFolders(): Promise<void> {
  await runCommand("mount", ["--make-rprivate", "/"]);
  for (const folder of ["/run", "/var/log"]) await runCommand("mount", ["-t", "tmpfs", "tmpfs", folder]);
}
