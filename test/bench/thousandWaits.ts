import { costOfWaits, withJobServer } from "./measuredProcesses.ts";
import { printTable, verdict } from "./resultTable.ts";

const COUNT = 1_000;
/** On the real clock: on a faster one, requests that take the processor's time end too late, and are sent again. */
const JOB_SECONDS = 60;
/** 200 MB, in the unit of the figures. */
const LIMITS = { loopDelayMs: 50, peakRssMiB: 200e6 / 2 ** 20 };
/** Where memory is plenty, Node lets garbage grow; with a heap of 64 MB it shows how much is needed. */
const HEAPS = {
  "as Node chooses": [],
  "64 MB": ["--max-old-space-size=64", "--max-semi-space-size=2"],
} as const;

/** A thousand exports that one process waits for at once, with the polls that they share. */
export async function thousandWaits(): Promise<boolean> {
  const rows: string[][] = [];
  const missed: string[] = [];
  for (const [heap, flags] of Object.entries(HEAPS)) {
    const cost = await withJobServer(JOB_SECONDS * 1_000, (baseUrl) => costOfWaits(baseUrl, COUNT, flags));
    const { links, loopDelayMs, peakRssMiB, cpuMs, seconds, left } = cost;
    rows.push([
      heap,
      String(COUNT),
      String(links),
      `${loopDelayMs.toFixed(0)} ms`,
      `${peakRssMiB.toFixed(0)} MiB`,
      `${(cpuMs / 1_000).toFixed(1)} s`,
      String(left.length),
      `${seconds.toFixed(0)} s`,
    ]);
    missed.push(
      ...(links < COUNT ? [`${links} links`] : []),
      ...(loopDelayMs > LIMITS.loopDelayMs ? [`the event loop is ${loopDelayMs.toFixed(0)} ms late`] : []),
      ...(flags.length > 0 && peakRssMiB > LIMITS.peakRssMiB ? [`${peakRssMiB.toFixed(0)} MiB`] : []),
      ...(left.length > 0 ? [`left: ${left.join(", ")}`] : []),
    );
  }
  printTable(
    "thousand-waits",
    [
      "heap",
      "waits at once",
      "links",
      "event loop late, 99 %",
      "peak memory",
      "processor time",
      "timers and sockets left",
      "took",
    ],
    rows,
  );
  console.log(`Jobs of ${JOB_SECONDS} s.\n`);
  const limits = `${LIMITS.loopDelayMs} ms, ${LIMITS.peakRssMiB.toFixed(0)} MiB with a heap of 64 MB, nothing left`;
  return verdict(missed, limits);
}
