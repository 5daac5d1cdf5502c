import { readdir, readFile } from "node:fs/promises";
import { repeatedly } from "./repeatedly.ts";

const PAUSE_MS = 20;

/** Watches the command lines of all processes that this machine shows, those in pods of its own node included. */
export interface ProcessWatch {
  /** Stops, and gives each command line that was seen, once. */
  stop(): Promise<string[]>;
}

export function watchProcesses(): ProcessWatch {
  const seen = new Set<string>();
  const stop = repeatedly(async () => {
    for (const pid of await readdir("/proc")) {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
      seen.add(await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => ""));
    }
  }, PAUSE_MS);
  return {
    stop: async () => {
      await stop();
      return [...seen].map((text) => text.replaceAll("\0", " ").trim()).filter((text) => text !== "");
    },
  };
}
