import { readdir, readFile } from "node:fs/promises";
import { repeatedly } from "./repeatedly.ts";

const PAUSE_MS = 20;

/**
 * Records the command lines of all processes that this machine shows, those in pods of its own node included.
 *
 * @returns ends it, and returns each recorded command line once
 */
export function watchProcesses(): () => Promise<string[]> {
  const seen = new Set<string>();
  const stop = repeatedly(async () => {
    for (const pid of await readdir("/proc")) {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
      seen.add(await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => ""));
    }
  }, PAUSE_MS);
  return async () => {
    await stop();
    return [...seen].map((text) => text.replaceAll("\0", " ").trim()).filter((text) => text !== "");
  };
}
