import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "parse5";
import { packArchive, renderSite } from "../../examples/reference-service/index.ts";
import { writeManual } from "./generatedManual.ts";
import { printTable, verdict } from "./resultTable.ts";
import { percentile } from "./statistics.ts";

const RENDERED_PAGES = 20;
const COPIES = 250;
/** Images and data of a page: files that are only unpacked. */
const FURTHER_FILES = 3;
const FURTHER_BYTES = 4_000;

const ROUNDS = 3;

/** Times `tar -tzf` and parse5 of all pages, together. */
const LIMIT_RATIO = 2;
/** Limit above an idle process. */
const LIMIT_PEAK_MIB = 100;

const run = promisify(execFile);

/** The time to inspect a bundle of 20,000 files, compared with the least work: reading the archive and parsing its pages. */
export async function inspect(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "inspect-"));
  try {
    const { archive, pages, files } = await writeBundle(folder);
    const texts = await Promise.all(pages.map((page) => readFile(page, "utf8")));
    const listing: number[] = [];
    const parsing: number[] = [];
    const inspections: number[] = [];
    const peaks: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      listing.push(await secondsOf(() => run("tar", ["-tzf", archive], { maxBuffer: 1e9 })));
      parsing.push(await secondsOf(() => texts.forEach((text) => parse(text)), COPIES));
      const { stdout } = await run(process.execPath, [
        join(import.meta.dirname, "inspectBundle.ts"),
        archive,
        String(files),
      ]);
      const { seconds, peakMiB } = JSON.parse(stdout) as { seconds: number; peakMiB: number };
      inspections.push(seconds);
      peaks.push(peakMiB);
    }
    const median = (values: readonly number[]): number => percentile(values, 0.5);
    const least = median(listing) + median(parsing);
    const ratio = median(inspections) / least;
    const seconds = (value: number): string => `${value.toFixed(2)} s`;
    printTable(
      "inspect",
      [
        "files",
        "pages",
        "`tar -tzf`",
        "parse5 of the pages",
        "inspecting",
        "times both",
        "memory, beside an idle process",
      ],
      [
        [
          String(files),
          String(pages.length * COPIES),
          seconds(median(listing)),
          seconds(median(parsing)),
          seconds(median(inspections)),
          ratio.toFixed(2),
          `${median(peaks).toFixed(0)} MiB`,
        ],
      ],
    );
    const missed = [
      ...(ratio > LIMIT_RATIO ? [`${ratio.toFixed(2)} times both`] : []),
      ...(median(peaks) > LIMIT_PEAK_MIB ? [`${median(peaks).toFixed(0)} MiB`] : []),
    ];
    return verdict(missed, `${LIMIT_RATIO} times both, ${LIMIT_PEAK_MIB} MiB`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A site of real pages, many times, with files beside them. */
async function writeBundle(folder: string): Promise<{ archive: string; pages: string[]; files: number }> {
  const [source, rendered, site] = ["source", "rendered", "site"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await Promise.all([mkdir(source), mkdir(rendered), mkdir(site)]);
  await writeManual(source, RENDERED_PAGES);
  const { files } = await renderSite({ source, target: rendered, name: "Manual" });
  const pages = files.filter((file) => file.endsWith(".html")).slice(0, RENDERED_PAGES);
  for (let copy = 0; copy < COPIES; copy++) {
    const target = join(site, copy === 0 ? "." : `copy-${copy}`);
    await mkdir(target, { recursive: true });
    for (const [index, page] of pages.entries()) {
      await cp(join(rendered, page), join(target, index === 0 ? "index.html" : `page-${index}.html`));
      for (let further = 0; further < FURTHER_FILES; further++) {
        const content = Array.from(
          { length: FURTHER_BYTES / 10 },
          (_, line) => `${copy * 7 + index * 31 + line * further},\n`,
        );
        await writeFile(join(target, `data-${index}-${further}.json`), content.join(""));
      }
    }
  }
  const entries = (await readdir(site, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(site.length + 1))
    .sort();
  const archive = join(folder, "bundle.tar.gz");
  await packArchive(site, entries, archive);
  return { archive, pages: pages.map((page) => join(rendered, page)), files: entries.length };
}

async function secondsOf(work: () => unknown, times = 1): Promise<number> {
  const begin = performance.now();
  for (let time = 0; time < times; time++) await work();
  return (performance.now() - begin) / 1_000;
}
