import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import type { WaitsCost } from "./measuredWaits.ts";

/** Runs work against a service in a process of its own, whose jobs take as long as asked. */
export async function withJobServer<T>(
  jobDurationMs: number,
  work: (baseUrl: string) => Promise<T>,
): Promise<T> {
  const server = fork(join(import.meta.dirname, "jobServer.ts"), [String(jobDurationMs)]);
  try {
    const [baseUrl] = (await once(server, "message")) as [string];
    return await work(baseUrl);
  } finally {
    server.disconnect();
  }
}

/** What waits cost the process that does nothing else, and whether it ended by itself. */
export async function costOfWaits(baseUrl: string, count: number, speed: number): Promise<WaitsCost> {
  const script = join(import.meta.dirname, "measuredWaits.ts");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [script, baseUrl, String(count), String(speed)],
    {
      timeout: 300_000,
    },
  );
  return JSON.parse(stdout) as WaitsCost;
}
