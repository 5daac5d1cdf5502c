// One operation at a time per stack, across processes.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export async function locked<Result>(statePath: string, work: () => Promise<Result>): Promise<Result> {
  const lock = lockState(statePath);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** @throws when another live process, or another operation of this one, holds the lock */
function lockState(statePath: string): { release: () => void } {
  const path = lockOf(statePath);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, String(process.pid), { flag: "wx", mode: 0o600 });
  } catch {
    const owner = Number(readFileSync(path, "utf8"));
    if (isAlive(owner)) {
      throw new Error(
        `the stack is currently locked by 1 lock(s): an operation of process ${owner} is running`,
      );
    }
    writeFileSync(path, String(process.pid), { mode: 0o600 }); // its owner was killed
  }
  return { release: () => rmSync(path, { force: true }) };
}

/** The process that holds it, dead or alive. */
export function isLocked(statePath: string): boolean {
  return existsSync(lockOf(statePath));
}

/** As `pulumi cancel`: removes the lock of any process. */
export function unlock(statePath: string): void {
  rmSync(lockOf(statePath), { force: true });
}

const lockOf = (statePath: string): string => `${statePath}.lock`;

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
