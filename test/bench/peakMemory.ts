// How much memory processes took at most, as Linux counts it. Elsewhere nothing is measured.
import { readdirSync, readFileSync } from "node:fs";

const INTERVAL_MS = 250;

export interface Watch {
  /** Ends the watch. @returns MiB, or `undefined` when there was nothing to measure */
  peakMiB(): number | undefined;
}

/** The highest peak of any single process (VmHWM), whose ids may change while it is watched. */
export function watchPeak(pids: () => number[]): Watch {
  return watch(() => Math.max(...pids().map((pid) => kib(`/proc/${pid}/status`, "VmHWM"))));
}

/** The highest sum over the processes of a group: of their resident sets, or (`Pss`) with shared pages counted once. */
export function watchGroup(group: number, figure: "Rss" | "Pss"): Watch {
  return watch(() =>
    membersOf(group).reduce((sum, pid) => sum + kib(`/proc/${pid}/smaps_rollup`, figure), 0),
  );
}

function watch(measureKib: () => number): Watch {
  let peakKib = 0;
  const look = (): void => {
    peakKib = Math.max(peakKib, measureKib());
  };
  const timer = setInterval(look, INTERVAL_MS);
  return {
    peakMiB: () => {
      clearInterval(timer);
      return peakKib > 0 ? peakKib / 1024 : undefined;
    },
  };
}

/** 0 when the process has ended, or the file is not there. */
function kib(path: string, figure: string): number {
  try {
    const line = readFileSync(path, "utf8").match(new RegExp(`^${figure}:\\s*(\\d+) kB$`, "m"));
    return Number(line?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function membersOf(group: number): string[] {
  try {
    return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && groupOf(pid) === group);
  } catch {
    return [];
  }
}

function groupOf(pid: string): number {
  try {
    // after the name, which may hold anything: state, parent, group
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return Number(fields[2]);
  } catch {
    return 0;
  }
}
