import { readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeCgroups } from "./cgroups.ts";

/** Of a run's folder and cgroup: tells whose they are. */
export function nodeName(pid: number): string {
  return `docs-hosting-node-${pid}`;
}

/** What is left of a node that has ended: its folder and its empty cgroups. */
export async function removeNode(name: string): Promise<void> {
  await removeCgroups(name);
  await rm(join(tmpdir(), name), { recursive: true, force: true });
}

/** A run that was killed could not do so itself. */
export async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(/^docs-hosting-node-(\d+)$/.exec(name)?.[1]);
    if (nodeName(pid) === name && !(await isRunning(pid))) await removeNode(name);
  }
}

/** Whether a process of that number runs a script like this; a number is used again, and a dead one has no command. */
async function isRunning(pid: number): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return command.includes("main.ts");
}
