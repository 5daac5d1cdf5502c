import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { writeManual } from "./generatedManual.ts";
import { printTable, verdict } from "./resultTable.ts";

const PAGE_COUNT = 1000;

/** Far above what a slow machine needs, far below the cost of a mistake (a page kept in memory, a list walked for each page). */
const LIMITS = { seconds: 180, peakRssMiB: 600 };

interface Figures {
  pages: number;
  seconds: number;
  peakRssMiB: number;
  archiveMiB: number;
  /** The longest duration of a status request while the service rendered. */
  longestPollMs: number;
}

/** A manual of a thousand pages, exported through the reference service in its own process. */
export async function thousandPages(): Promise<boolean> {
  const source = await mkdtemp(join(tmpdir(), "manual-"));
  try {
    await writeManual(source, PAGE_COUNT);
    const script = join(import.meta.dirname, "exportByService.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [script, source]);
    const { pages, seconds, peakRssMiB, archiveMiB, longestPollMs } = JSON.parse(stdout) as Figures;
    printTable(
      "thousand-pages",
      ["pages", "job and archive", "pages a second", "peak memory", "archive", "longest wait for a status"],
      [
        [
          String(pages),
          `${seconds.toFixed(1)} s`,
          (pages / seconds).toFixed(0),
          `${peakRssMiB.toFixed(0)} MiB`,
          `${archiveMiB.toFixed(1)} MiB`,
          `${longestPollMs.toFixed(0)} ms`,
        ],
      ],
    );
    const missed = [
      ...(pages !== PAGE_COUNT ? [`${pages} pages`] : []),
      ...(seconds > LIMITS.seconds ? [`${seconds.toFixed(0)} s`] : []),
      ...(peakRssMiB > LIMITS.peakRssMiB ? [`${peakRssMiB.toFixed(0)} MiB`] : []),
    ];
    return verdict(missed, `${LIMITS.seconds} s and ${LIMITS.peakRssMiB} MiB`);
  } finally {
    await rm(source, { recursive: true });
  }
}
