import { readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeCgroups } from "./cgroups.ts";

/** In a run's folder and cgroup name: identifies their owner. */
export function nodeName(pid: number): string {
  return `docs-hosting-node-${pid}`;
}

/** Leftovers of a node that has ended: its folder and its empty cgroups. */
export async function removeNode(name: string): Promise<void> {
  await removeCgroups(name);
  await rm(join(tmpdir(), name), { recursive: true, force: true });
}

/** A killed run could not remove them itself. */
export async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(/^docs-hosting-node-(\d+)$/.exec(name)?.[1]);
    if (nodeName(pid) === name && !(await isRunning(pid))) await removeNode(name);
  }
}

/** Whether a process of that number runs such a script; numbers are reused, and a dead process has no command. */
async function isRunning(pid: number): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return command.includes("main.ts");
}
