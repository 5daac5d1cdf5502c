// What happens to the pods of a fleet: their processes are killed, or they have to leave their node.
import { readdir, readFile } from "node:fs/promises";
import { runCommand } from "../programs/commands.ts";
import type { KubernetesObject } from "./kubectl.ts";

export const FAULTS = ["kill -9 of all processes", "kill -9 of one process", "eviction"] as const;
export type Fault = (typeof FAULTS)[number];

/** @param random in [0, 1), chooses the process. @returns the command lines of those that were killed */
export async function strike(pod: KubernetesObject, fault: Fault, random: number): Promise<string[]> {
  if (fault === "eviction") {
    await evict(pod);
    return [];
  }
  const processes = await processesOf(pod);
  const one = Math.floor(random * processes.length);
  const struck = fault === "kill -9 of one process" ? processes.slice(one, one + 1) : processes;
  for (const { pid } of struck) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // it ended with those before it
    }
  }
  return struck.map(({ command }) => command);
}

/** By way of the API that drains of nodes use: the processes are asked to end, and have their time for it. */
async function evict({ metadata: { name, namespace = "" } }: KubernetesObject): Promise<void> {
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } };
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
  await runCommand("kubectl", ["create", "--raw", path, "--filename", "-"], {
    input: JSON.stringify(eviction),
  });
}

/** Not the one that only holds the pod's place, and not the shell that watches over the test engine (`engine/reaper.ts`). */
const OTHERS = /^$|^\/bin\/sleep |^sh -c /;

/** Those of its containers, on the node that is this machine. */
async function processesOf(pod: KubernetesObject): Promise<{ pid: number; command: string }[]> {
  const found = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const read = (file: string) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => ""); // it ended meanwhile
    if (!(await read("cgroup")).includes(`/pod${pod.metadata.uid}/`)) continue;
    const command = (await read("cmdline")).replaceAll("\0", " ").trim();
    if (!OTHERS.test(command)) found.push({ pid: Number(pid), command });
  }
  return found;
}
