// The peak memory of a process, as Linux counts it. Elsewhere nothing is measured.
import { readFileSync } from "node:fs";

const INTERVAL_MS = 250;

export interface Watch {
  /** Stops the measurement. @returns MiB, or `undefined` when nothing was measured */
  peakMiB(): number | undefined;
}

/** The highest peak of any single process (VmHWM); the ids of the processes may change during the measurement. */
export function watchPeak(pids: () => number[]): Watch {
  let peakKib = 0;
  const timer = setInterval(() => {
    peakKib = Math.max(peakKib, ...pids().map(peakKibOf));
  }, INTERVAL_MS);
  return {
    peakMiB: () => {
      clearInterval(timer);
      return peakKib > 0 ? peakKib / 1024 : undefined;
    },
  };
}

/** 0 when the process has ended, or the file is missing. */
function peakKibOf(pid: number): number {
  try {
    const line = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return Number(line?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** A process and those that it started, as far as they run. */
export function processesBelow(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
    return [pid, ...children.flatMap((child) => processesBelow(Number(child)))];
  } catch {
    return [];
  }
}
