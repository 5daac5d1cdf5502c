import { costOfWaits, withJobServer } from "./measuredProcesses.ts";
import { printTable, verdict } from "./resultTable.ts";
import { exportByShell, hasCurl } from "./shellExport.ts";

const JOB_SECONDS = 600;
/** The factor by which ten minutes pass faster. The processor does the same work in them, only with shorter pauses. */
const SPEED = 60;
const PAUSE_SECONDS = 10;
const LIMIT_MS = 2_000;

/** The processor time of a wait of ten minutes, with all its polls over real sockets. */
export async function waitingCost(): Promise<boolean> {
  const ours = await withJobServer((JOB_SECONDS * 1_000) / SPEED, (baseUrl) =>
    costOfWaits(baseUrl, 1, SPEED),
  );
  const shell = hasCurl()
    ? await withJobServer((JOB_SECONDS * 1_000) / SPEED, (baseUrl) =>
        exportByShell({ baseUrl, key: "svc_bench", domain: "docs.example.com" }, PAUSE_SECONDS / SPEED),
      )
    : undefined;
  const milliseconds = (value: number): string => `${value.toFixed(0)} ms`;
  printTable(
    "waiting-cost",
    ["a job of ten minutes", "processor time", "peak memory"],
    [
      ["ours", milliseconds(ours.cpuMs), `${ours.peakRssMiB.toFixed(0)} MiB, with Node.js itself`],
      ...(shell ? [["shell script, curl and sleep 10", milliseconds(shell.cpuSeconds * 1_000), "–"]] : []),
    ],
  );
  console.log(
    `Start, all polls and the link over real sockets, ${SPEED} times as fast as real; the service is another process.\n`,
  );
  return verdict(
    ours.cpuMs > LIMIT_MS ? [`${milliseconds(ours.cpuMs)} of processor time`] : [],
    `${LIMIT_MS} ms of processor time`,
  );
}
