import { createHash, randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/**
 * The process that a part belongs to, as it stands in the part's name. Who ended, however, holds nothing any more. In doubt
 * somebody lives: a part too many costs room on the disk, two writers of one would spoil it.
 */

/** How long what somebody left is kept, in milliseconds: whoever wanted it would have come back. */
const LEFT_LIFE_MS = 24 * 3_600_000;

/** The name of an owner that is this process; two parts of its have different ones. */
export function ownName(): string {
  return [system(), process.pid, lifeOf(process.pid)?.startedAt ?? 0, randomUUID().slice(0, 8)].join("-");
}

/** The name of no owner: whoever comes next may have the part. */
export function freeName(): string {
  return `free-${randomUUID().slice(0, 8)}`;
}

/** Whether a part with this in its name is nobody's. */
export function isOwnerless(name: string): boolean {
  if (name.startsWith("free-")) return true;
  const [where, pid, startedAt] = name.split("-");
  // of another machine, container or boot nothing can be told
  if (where !== system()) return false;
  const life = lifeOf(Number(pid));
  return life === undefined || (life.startedAt !== 0 && String(life.startedAt) !== startedAt);
}

/**
 * Whether nobody comes back for what has this in its name. What a living process of this system has is never old, whatever the
 * clock says.
 *
 * @param changedMs when it was changed last, and `nowMs` the time now: milliseconds since 1970
 */
export function isAbandoned(name: string, changedMs: number, nowMs: number): boolean {
  const livesHere = name.startsWith(`${system()}-`) && !isOwnerless(name);
  return !livesHere && nowMs - changedMs > LEFT_LIFE_MS;
}

/** Processes of one system know each other by their ids. */
function system(): string {
  const digest = createHash("sha256").update(hostname());
  for (const read of [
    () => readFileSync("/proc/sys/kernel/random/boot_id"),
    () => readlinkSync("/proc/self/ns/pid"),
  ]) {
    try {
      digest.update(read());
    } catch {
      // not on Linux
    }
  }
  return digest.digest("hex").slice(0, 16);
}

/** When a process started, in ticks, 0 where nobody knows; `undefined` when it has ended. */
function lifeOf(pid: number): { startedAt: number } | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return undefined;
  }
  try {
    // the name of the program, in parentheses, may hold anything, see proc_pid_stat(5)
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, ...fields] = text.slice(text.lastIndexOf(") ") + 2).split(" ");
    if (state === "Z") return undefined; // ended, and only waits to be noticed
    return { startedAt: Number(fields[18] ?? 0) };
  } catch {
    return { startedAt: 0 };
  }
}
