import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runCommand } from "../programs/commands.ts";
import { COPY_STEPS, ourCost, type RunCost, type Step, SUBJECTS } from "./growthSubjects.ts";
import type { CopyCost } from "./measuredCopy.ts";
import { printTable, verdict } from "./resultTable.ts";

/** Files of the sites. `FILES=2000` is quicker; memory has a limit for 40,000. */
const SIZES = (process.env["FILES"] ?? "2000,10000,20000").split(",").map(Number);
/** `ONLY=folder,search` measures only these. */
const WANTED = process.env["ONLY"]?.split(",") ?? Object.keys(SUBJECTS);
/** Of several rounds, the least counts: other processes only add to it. */
const ROUNDS = 2;
/** A cost that grows this much faster than the site is named. */
const STEEP = 1.15;

type Measure = "cpuSeconds" | "peakMiB" | "gapMs" | "requests";
const UNITS: Readonly<Record<Measure, string>> = {
  cpuSeconds: "s of the processor",
  peakMiB: "MiB",
  gapMs: "ms in which nothing else runs",
  requests: "requests",
};

/** A limit for sites of a size: a value, or times the processor time of another program, both without the start of a process. */
interface Limit {
  readonly of: string;
  readonly step: Step;
  readonly most: number;
  readonly times?: string;
  readonly measure?: Measure;
  /** @default every size */
  readonly files?: number;
  /** The smallest site that it holds for. @default every one */
  readonly from?: number;
}
const LIMITS: readonly Limit[] = [
  { of: "bucket", step: "first copy", most: 1, times: "rclone" },
  // half a second for a smaller site: most of it, V8 interprets the code and compiles it
  { of: "bucket", step: "1 % changed", most: 1.5, times: "rclone", from: 10_000 },
  { of: "bucket", step: "removal", most: 1.2, times: "rclone" },
  ...COPY_STEPS.map(
    (step) => ({ of: "bucket", step, most: 200, measure: "peakMiB", files: 40_000 }) as const,
  ),
  { of: "folder", step: "first copy", most: 2.5, measure: "cpuSeconds", files: 10_000 },
  { of: "folder", step: "unchanged", most: 1, measure: "cpuSeconds", files: 10_000 },
  { of: "folder", step: "removal", most: 0.5, measure: "cpuSeconds", files: 10_000 },
  { of: "search", step: "index", most: 350, measure: "peakMiB", files: 10_000 },
  { of: "search", step: "index", most: 450, measure: "peakMiB", files: 20_000 },
  { of: "search", step: "index", most: 200, measure: "gapMs", files: 20_000 },
];

interface Row {
  readonly of: string;
  readonly files: number;
  readonly step: Step;
  readonly by: string;
  readonly cost: RunCost & { readonly requests?: number };
  /** Processor time of a process that only starts. */
  readonly startSeconds: number;
}

const say = (what: string): void => console.log(`growth: ${what}`);

/**
 * How do the costs of a site in a bucket, a folder and an image, and of its search, grow with its files? Compared with programs that do
 * the same in the same run.
 */
export async function growth(): Promise<boolean> {
  const unknown = WANTED.filter((name) => !(name in SUBJECTS));
  if (unknown.length > 0) {
    throw new Error(`no ${unknown.join(", ")}; there are: ${Object.keys(SUBJECTS).join(", ")}`);
  }
  const folder = await mkdtemp(join(tmpdir(), "bench-growth-"));
  const rows = new Map<string, Row>();
  try {
    const idle = await ourCost(["idle"]);
    const sites = new Map<number, Sites>();
    for (const files of SIZES) sites.set(files, await writeSites(join(folder, String(files)), files));
    for (const of of WANTED) {
      const place = join(folder, of);
      await mkdir(place);
      await SUBJECTS[of]?.(place, say, async ({ steps, runners, starts, requests, empty }) => {
        for (const [files, { first, changed }] of sites) {
          for (let round = 0; round < ROUNDS; round++) {
            for (const step of steps) {
              for (const [by, run] of Object.entries(runners)) {
                say(`${of}, ${files} files, ${step}, ${by}`);
                const before = await requests?.();
                const cost = await run(step, step === "1 % changed" ? changed : first);
                if (cost === undefined) continue;
                const sent = before === undefined ? {} : { requests: ((await requests?.()) ?? NaN) - before };
                const key = [of, files, step, by].join();
                const startSeconds = (starts?.[by] ?? (by === "ours" ? idle : undefined))?.cpuSeconds ?? 0;
                rows.set(key, {
                  of,
                  files,
                  step,
                  by,
                  startSeconds,
                  cost: { ...least(cost, rows.get(key)?.cost), ...sent },
                });
              }
            }
            await empty?.();
          }
        }
      });
    }
    return judge([...rows.values()], idle);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function least(now: RunCost, before: RunCost = now): RunCost {
  return {
    cpuSeconds: Math.min(now.cpuSeconds, before.cpuSeconds),
    peakMiB: Math.min(now.peakMiB, before.peakMiB),
    ...(now.gapMs !== undefined && { gapMs: Math.min(now.gapMs, before.gapMs ?? now.gapMs) }),
  };
}

interface Sites {
  readonly first: string;
  readonly changed: string;
}

/** Writes a site of pages, and one in which 1 % of them changed: folders, and archives of them. */
async function writeSites(folder: string, files: number): Promise<Sites> {
  const words = Array.from({ length: 450 }, (_, at) => `word${(at * 7_919) % 1_000}`).join(" ");
  const page = (at: number, version: number): string =>
    `<!doctype html><html lang="en"><title>Page ${at}</title><h1>Page ${at}, ${version}</h1><p>${words}</p></html>`;
  const write = async (name: string, versionOf: (at: number) => number): Promise<string> => {
    const site = join(folder, name);
    for (let at = 0; at < files; at++) {
      const file = join(site, at === 0 ? "index.html" : `part-${Math.floor(at / 50)}/page-${at}.html`);
      if (at % 50 < 2) await mkdir(dirname(file), { recursive: true });
      await writeFile(file, page(at, versionOf(at)));
    }
    await runCommand("tar", ["-czf", `${site}.tar.gz`, "-C", site, "."]);
    return site;
  };
  return {
    first: await write("first", () => 1),
    changed: await write("changed", (at) => (at % 100 === 7 ? 22 : 1)),
  };
}

function judge(rows: readonly Row[], idle: CopyCost): boolean {
  const cell = (value: number | undefined, digits: number, unit: string): string =>
    value === undefined || Number.isNaN(value) ? "–" : `${value.toFixed(digits)} ${unit}`.trim();
  printTable(
    "growth",
    ["of", "files", "step", "by", "of the processor", "without start", "memory", "requests", "longest gap"],
    rows.map(({ of, files, step, by, cost, startSeconds }) => [
      ...[of, String(files), step, by, cell(cost.cpuSeconds, 2, "s")],
      ...[cell(cost.cpuSeconds - startSeconds, 2, "s"), cell(cost.peakMiB, 0, "MiB")],
      ...[cell(cost.requests, 0, ""), cell(cost.gapMs, 0, "ms")],
    ]),
  );
  const [smallest, largest] = [Math.min(...SIZES), Math.max(...SIZES)];
  const find = (of: string, step: Step, files: number, by = "ours"): Row | undefined =>
    rows.find((row) => row.of === of && row.step === step && row.files === files && row.by === by);
  const ownOf = ({ cost, startSeconds }: Row, measure: Measure): number =>
    (cost[measure] ?? 0) - (measure === "cpuSeconds" ? startSeconds : 0);

  const missed: string[] = [];
  for (const { of, step, most, times, measure = "cpuSeconds", files: size, from = 0 } of LIMITS) {
    for (const files of size === undefined ? SIZES : [size]) {
      const ours = find(of, step, files);
      if (!ours || files < from) continue;
      const theirs = times === undefined ? undefined : find(of, step, files, times);
      const value = ownOf(ours, measure) / (times === undefined ? 1 : theirs ? ownOf(theirs, measure) : NaN);
      const unit = times === undefined ? UNITS[measure] : `times the processor time of ${times}`;
      const line = `${of}, ${step} of ${files} files: ${value.toFixed(2)} ${unit}, at most ${most}`;
      console.log(line);
      if (!(value <= most)) missed.push(line);
    }
  }
  for (const { of, step, files, by, cost: large } of rows) {
    const small = find(of, step, smallest)?.cost;
    if (by !== "ours" || files !== largest || largest === smallest || !small) continue;
    const steep = (["cpuSeconds", "peakMiB", "requests"] as const).filter((each) => {
      const base = each === "requests" ? 0 : idle[each];
      return (large[each] ?? 0) - base > (STEEP * largest * ((small[each] ?? 0) - base)) / smallest;
    });
    if (steep.length > 0) console.log(`${of}, ${step}: grows faster than the site: ${steep.join(", ")}`);
  }
  return verdict(missed, "those of the lines above");
}
