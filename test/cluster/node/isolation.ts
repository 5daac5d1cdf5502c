import { spawn } from "node:child_process";

/**
 * Runs a script of this project in its own network, mount and process namespaces: it cannot collide with another run on the
 * machine. When it ends, or this process ends in any way, the kernel ends all its processes and removes its mounts and network
 * devices. Needs root and Linux.
 *
 * @returns the script's exit code
 */
export async function runIsolated(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const child = spawn(
    "unshare",
    [
      "--net",
      "--mount",
      "--pid",
      "--fork",
      "--kill-child",
      "--mount-proc",
      process.execPath,
      script,
      ...args,
    ],
    // the script ends when this pipe closes: `unshare` itself would outlive a kill -9 of this process
    { stdio: ["pipe", "inherit", "inherit"], env },
  );
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

/** For the script: ends it, and with it the namespaces, when the process that started it has ended. */
export function endWithParent(): void {
  process.stdin.on("close", () => process.exit(1)).resume();
}
