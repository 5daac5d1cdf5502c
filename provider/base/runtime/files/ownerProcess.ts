import { createHash, randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/**
 * The process that owns a part, from the part's name. An ended process owns nothing. In doubt the process counts as running: an
 * extra part only costs disk space, but two writers would corrupt a part.
 */

/** How long an abandoned part is kept, in milliseconds: a run that needs it would have continued it by then. */
const ABANDONED_AFTER_MS = 24 * 3_600_000;

/** An owner name for this process. Each part gets a different one. */
export function ownName(): string {
  return [system(), process.pid, lifeOf(process.pid)?.startedAt ?? 0, randomUUID().slice(0, 8)].join("-");
}

/** The name for a part without an owner: the next process may take the part. */
export function freeName(): string {
  return `free-${randomUUID().slice(0, 8)}`;
}

/** Whether a part with this owner name has no owner. */
export function hasNoOwner(name: string): boolean {
  if (name.startsWith("free-")) return true;
  const [where, pid, startedAt] = name.split("-");
  // processes of another machine, container or boot cannot be checked
  if (where !== system()) return false;
  const life = lifeOf(Number(pid));
  return life === undefined || (life.startedAt !== 0 && String(life.startedAt) !== startedAt);
}

/** Whether a name of {@link ownName} is that of a process of this system which is running. */
export function isOfRunningProcess(name: string): boolean {
  return name.startsWith(`${system()}-`) && !hasNoOwner(name);
}

/**
 * Whether a part with this owner name is abandoned. The part of a running process of this system is never abandoned, regardless
 * of the clock shows.
 *
 * @param changedMs when the part was last changed: milliseconds since 1970, as `nowMs`
 */
export function isAbandoned(name: string, changedMs: number, nowMs: number): boolean {
  return !isOfRunningProcess(name) && nowMs - changedMs > ABANDONED_AFTER_MS;
}

/** Identifies the system: process ids are comparable only within one system. */
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

/** When a process started, in ticks (0 if unknown); `undefined` if it has ended. */
function lifeOf(pid: number): { startedAt: number } | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return undefined;
  }
  try {
    // the program's name, in parentheses, may contain any character, see proc_pid_stat(5)
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, ...fields] = text.slice(text.lastIndexOf(") ") + 2).split(" ");
    if (state === "Z") return undefined; // a zombie: it has ended
    return { startedAt: Number(fields[18] ?? 0) };
  } catch {
    return { startedAt: 0 };
  }
}
