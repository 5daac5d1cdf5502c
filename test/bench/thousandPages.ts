import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { writeManual } from "./generatedManual.ts";

const PAGE_COUNT = 1000;
const SEED = 20_260_101;

/** Far above what a slow machine needs, far below what a mistake (a page kept, a list walked for each page) would cost. */
const LIMITS = { seconds: 180, peakRssMiB: 600 };

interface Figures {
  pages: number;
  seconds: number;
  peakRssMiB: number;
  /** Only of what is packed. */
  archiveMiB?: number;
  /** The longest that a status request took while the service rendered. */
  longestPollMs?: number;
}

/** A manual of a thousand pages, exported through the service, next to the bare work of turning the same pages into HTML. */
export async function thousandPages(): Promise<boolean> {
  const source = await mkdtemp(join(tmpdir(), "manual-"));
  try {
    await writeManual(source, PAGE_COUNT, SEED);
    const plain = await measure("renderPlainly.ts", source);
    const service = await measure("exportByService.ts", source);
    console.table({
      "reference service: job, rendering, archive": row(service),
      "markdown-it alone: no links, code colours, navigation, archive": row(plain),
    });
    console.log(
      `Longest wait for a status reply while rendering: ${(service.longestPollMs ?? 0).toFixed(0)} ms`,
    );
    const withinLimits = service.seconds <= LIMITS.seconds && service.peakRssMiB <= LIMITS.peakRssMiB;
    console.log(
      `${withinLimits ? "Within" : "OVER"} the limits of ${LIMITS.seconds} s and ${LIMITS.peakRssMiB} MiB`,
    );
    return withinLimits;
  } finally {
    await rm(source, { recursive: true });
  }
}

/** Runs a script of this folder in a process of its own, whose last words are its figures. */
async function measure(script: string, source: string): Promise<Figures> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, script), source]);
  return JSON.parse(stdout) as Figures;
}

function row({ pages, seconds, peakRssMiB, archiveMiB }: Figures) {
  return {
    pages,
    seconds: seconds.toFixed(1),
    "pages/s": (pages / seconds).toFixed(0),
    "peak RSS, MiB": peakRssMiB.toFixed(0),
    "archive, MiB": archiveMiB?.toFixed(1) ?? "–",
  };
}
