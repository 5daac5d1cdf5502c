import { execFile, execFileSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BenchService } from "./benchSites.ts";

const SHELL_SCRIPT = join(import.meta.dirname, "exportByShell.sh");

/** One export by the shell script. @returns the link, and the processor time of all its processes in seconds */
export async function exportByShell(
  service: BenchService,
  pauseSeconds: number,
): Promise<{ link: string; cpuSeconds: number }> {
  const { baseUrl, key, domain } = service;
  // `times` prints the user and system time of the shell, then of its children
  const { stdout } = await promisify(execFile)("sh", ["-c", 'sh "$SCRIPT" "$1"; times', "sh", domain], {
    env: {
      ...process.env,
      SCRIPT: SHELL_SCRIPT,
      API: `${baseUrl}/v1/static-export/jobs`,
      KEY: key,
      PAUSE: String(pauseSeconds),
    },
  });
  const [link = ""] = stdout.split("\n");
  const spent = [...stdout.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => 60 * Number(minutes) + Number(seconds),
  );
  return { link, cpuSeconds: spent.reduce((sum, seconds) => sum + seconds, 0) };
}

export function hasCurl(): boolean {
  try {
    execFileSync("curl", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
