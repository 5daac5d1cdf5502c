import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../../programs/commands.ts";

const CGROUPS = "/sys/fs/cgroup";

/** One hierarchy (version 2), or one per controller (version 1). */
async function cgroupHierarchies(): Promise<string[]> {
  if (existsSync(join(CGROUPS, "cgroup.controllers"))) return [CGROUPS];
  const mounts = await readFile("/proc/self/mounts", "utf8");
  return [...mounts.matchAll(/^\S+ (\/sys\/fs\/cgroup\/\S+) cgroup2? /gm)].map(([, path]) => path ?? "");
}

/** The weight of one process, in the two versions. */
const CPU_SHARES = { "cpu.shares": 1024, "cpu.weight": 100 };
/** All pods together weigh as much as this number of processes; as one, they would hardly progress on a busy machine. */
const COUNTED_PROCESSES = 8;

export async function makeCgroups(cgroup: string): Promise<void> {
  for (const hierarchy of await cgroupHierarchies()) {
    const folder = join(hierarchy, cgroup);
    await mkdir(folder, { recursive: true });
    for (const [name, share] of Object.entries(CPU_SHARES)) {
      if (existsSync(join(folder, name))) {
        await writeFile(join(folder, name), String(share * COUNTED_PROCESSES));
      }
    }
  }
}

/** Kills all containers at once, and their shims: containerd's shims outlive it. For a process namespace of one node. */
export async function endPods(cgroup: string): Promise<void> {
  const inPods = await Promise.all(
    (await cgroupHierarchies()).map(async (hierarchy) => {
      const folder = join(hierarchy, cgroup);
      if (!existsSync(folder)) return [];
      return (await runCommand("find", [folder, "-name", "cgroup.procs", "-exec", "cat", "{}", "+"])).split(
        "\n",
      );
    }),
  );
  const processes = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const names = await Promise.all(
    processes.map((pid) => readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")), // it ended meanwhile
  );
  const shims = processes.filter((_, index) => names[index]?.startsWith("containerd-shim"));
  for (const pid of new Set([...shims, ...inPods.flat()])) {
    if (Number(pid) <= 1) continue;
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // it ended meanwhile
    }
  }
}

/** Only empty ones can be removed: kills the processes that still run in one first. */
export async function removeCgroups(cgroup: string): Promise<void> {
  for (const hierarchy of await cgroupHierarchies()) {
    const folder = join(hierarchy, cgroup);
    if (!existsSync(folder)) continue;
    const folders = (await runCommand("find", [folder, "-depth", "-type", "d"])).trim().split("\n");
    for (const each of folders) await rmdir(each).catch(() => undefined);
  }
}
