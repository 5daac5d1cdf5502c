// Faults of the pods of a fleet: processes are killed, or pods are evicted from their node.
import { readdir, readFile } from "node:fs/promises";
import { evict } from "./eviction.ts";
import type { KubernetesObject } from "./kubectl.ts";

export const FAULTS = ["kill -9 of all processes", "kill -9 of one process", "eviction"] as const;
export type Fault = (typeof FAULTS)[number];

/** @param random in [0, 1), chooses the process. @returns the command lines of the killed processes */
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

/** Without the pause process of the pod, and without the shell that watches the test engine (`engine/reaper.ts`). */
const OTHERS = /^$|^\/bin\/sleep |^sh -c /;

/** The processes of its containers, on the node that is this machine. */
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
