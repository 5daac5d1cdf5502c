import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { WaitsCost } from "./measuredWaits.ts";

/** Runs work against a service in its own process, whose jobs take the given time. */
export async function withJobServer<T>(
  jobDurationMs: number,
  work: (baseUrl: string) => T | Promise<T>,
): Promise<T> {
  const server = fork(join(import.meta.dirname, "jobServer.ts"), [String(jobDurationMs)]);
  try {
    const [baseUrl] = (await once(server, "message")) as [string];
    return await work(baseUrl);
  } finally {
    server.disconnect();
  }
}

/**
 * The cost of waits in a process that does nothing else, and ends by itself.
 *
 * @param flags of Node
 */
export function costOfWaits(baseUrl: string, count: number, flags: readonly string[] = []): WaitsCost {
  const script = join(import.meta.dirname, "measuredWaits.ts");
  const figures = execFileSync(process.execPath, [...flags, script, baseUrl, String(count)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(String(figures)) as WaitsCost;
}
