import { costOfWaits, withJobServer } from "./measuredProcesses.ts";
import { printTable, verdict } from "./resultTable.ts";

const COUNT = 1_000;
const JOB_SECONDS = 300;
const SPEED = 10;
/** 200 MB, in the unit of the figures. */
const LIMITS = { loopDelayMs: 50, peakRssMiB: 200e6 / 2 ** 20 };

/** A thousand exports that one process waits for at once, with the looks that they share. */
export async function thousandWaits(): Promise<boolean> {
  const cost = await withJobServer((JOB_SECONDS * 1_000) / SPEED, (baseUrl) =>
    costOfWaits(baseUrl, COUNT, SPEED),
  );
  const { links, loopDelayMs, peakRssMiB, cpuMs, seconds, left } = cost;
  printTable(
    "thousand-waits",
    [
      "waits at once",
      "links",
      "event loop late, 99 %",
      "peak memory",
      "processor time",
      "timers and sockets left",
    ],
    [
      [
        String(COUNT),
        String(links),
        `${loopDelayMs.toFixed(0)} ms`,
        `${peakRssMiB.toFixed(0)} MiB`,
        `${(cpuMs / 1_000).toFixed(1)} s`,
        String(left.length),
      ],
    ],
  );
  console.log(
    `Jobs of ${JOB_SECONDS} s, ${SPEED} times as fast as real: ${(seconds * SPEED).toFixed(0)} s in all.\n`,
  );
  const missed = [
    ...(links < COUNT ? [`${links} links`] : []),
    ...(loopDelayMs > LIMITS.loopDelayMs ? [`the event loop is ${loopDelayMs.toFixed(0)} ms late`] : []),
    ...(peakRssMiB > LIMITS.peakRssMiB ? [`${peakRssMiB.toFixed(0)} MiB`] : []),
    ...(left.length > 0 ? [`left: ${left.join(", ")}`] : []),
  ];
  return verdict(missed, `${LIMITS.loopDelayMs} ms, ${LIMITS.peakRssMiB.toFixed(0)} MiB, nothing left`);
}
