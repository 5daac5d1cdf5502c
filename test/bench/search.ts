import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { startBrowser } from "../foreignSites/watchedPage.ts";
import { runCommand } from "../programs/commands.ts";
import { printTable, verdict } from "./resultTable.ts";
import { ask, type Found, ownSearch, pagefindSearch, questionsOf } from "./search/answers.ts";
import { CORPUS_NAMES, corpusFolder, SENTENCES } from "./search/corpora.ts";
import type { IndexCost } from "./search/indexedSite.ts";
import { indexByPagefind, preparePagefind } from "./search/pagefind.ts";
import { costOfBox, costOfPagefind, type ReaderCost, startCountingServer } from "./search/readerCost.ts";

/** Limits for sites of up to this many pages: on the clock and of the processor, and of what a reader loads. */
const LIMITS = [
  { pages: 320, seconds: 2, kilobytes: 120 },
  { pages: 1_200, seconds: 6, kilobytes: 120 },
  { pages: 5_000, seconds: 60, kilobytes: 250 },
];
const PEAK_MIB = 800;
/** Script and style of the button, cached after the first page. Trusted Types, foreign search fields and languages have their share. */
const PAGE_VIEW_BYTES = 3_500;
const LEAST_FOUND = 38;
/** Of questions that are whole sentences. */
const LEAST_SENTENCES = 36;
/** The questions whose bytes are measured: the first ones. */
const MEASURED_QUESTIONS = 5;

interface Result extends IndexCost {
  readonly bytes: number;
  readonly compressed: number;
  readonly reader: readonly ReaderCost[];
  readonly found: Found;
}

const say = (what: string): void => console.log(`search: ${what}`);

/**
 * Makes the search of real documentation, and asks it questions that were written before it was tried. Pagefind does the same in the
 * same run. `CORPORA=fastify,python` names some.
 */
export async function search(): Promise<boolean> {
  const pagefind = await preparePagefind(say);
  const names = process.env["CORPORA"]?.split(",") ?? CORPUS_NAMES;
  const folder = await mkdtemp(join(tmpdir(), "bench-search-"));
  const browser = await startBrowser();
  const rows: string[][] = [];
  const missed: string[] = [];
  try {
    for (const name of names) {
      const site = await corpusFolder(name, say);
      const own = await ownResult(browser, name, site, join(folder, `${name}-own`));
      const theirs = await pagefindResult(browser, pagefind, name, site, join(folder, `${name}-pagefind`));
      const megabytes = (await htmlBytes(site)) / 1e6;
      rows.push(row(name, "offlineSearch", megabytes, own), row("", "Pagefind", megabytes, theirs));
      for (const [who, { found }] of [["", own] as const, ["Pagefind ", theirs] as const]) {
        for (const question of found.missed) say(`${name}: ${who}missed ${question}`);
      }
      missed.push(...overLimits(name, own));
    }
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
  const head = ["site", "by", "pages", "HTML", "time", "of the processor", "memory", "size, compressed"];
  printTable("search", [...head, "to first results", "requests", "found, first"], rows);
  console.log(`Load at the end: ${loadavg()[0]?.toFixed(1)}.\n`);
  const limits = LIMITS.map(
    ({ pages, seconds, kilobytes }) => `${pages} pages in ${seconds} s with ${kilobytes} kB`,
  );
  return verdict(
    missed,
    `${limits.join(", ")}, ${PEAK_MIB} MiB, ${PAGE_VIEW_BYTES} B a page, ${LEAST_FOUND} of 40, ${LEAST_SENTENCES} of sentences`,
  );
}

async function ownResult(browser: Browser, name: string, site: string, folder: string): Promise<Result> {
  const script = join(import.meta.dirname, "search/indexedSite.ts");
  const cost = JSON.parse(await runCommand(process.execPath, [script, site, folder])) as IndexCost;
  const questions = await questionsOf(name);
  const server = await startCountingServer(folder, languageOf(name));
  try {
    const reader: ReaderCost[] = [];
    for (const { words } of questions.slice(0, MEASURED_QUESTIONS)) {
      reader.push(await costOfBox(browser, server, words));
    }
    const asked = await ownSearch(join(folder, "docs-hosting-search"));
    const found = await ask(questions, asked);
    return { ...cost, ...(await sizeOf(folder)), reader, found };
  } finally {
    server.close();
  }
}

async function pagefindResult(
  browser: Browser,
  program: string,
  name: string,
  site: string,
  folder: string,
): Promise<Result> {
  const cost = await indexByPagefind(program, site, join(folder, "pagefind"));
  const questions = await questionsOf(name);
  const server = await startCountingServer(folder, languageOf(name));
  try {
    const reader: ReaderCost[] = [];
    for (const { words } of questions.slice(0, MEASURED_QUESTIONS)) {
      reader.push(await costOfPagefind(browser, server, words));
    }
    const asked = await pagefindSearch(browser, server.url);
    const found = await ask(questions, asked);
    return { ...cost, ...(await sizeOf(folder)), reader, found };
  } finally {
    server.close();
  }
}

const languageOf = (name: string): string =>
  /^(?:debian-reference|debian-handbook|installer|httpd|gimp)-(..)$/.exec(name)?.[1] ?? "en";

async function sizeOf(folder: string): Promise<{ bytes: number; compressed: number }> {
  let [bytes, compressed] = [0, 0];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile())) {
    const content = await readFile(join(entry.parentPath, entry.name));
    bytes += content.length;
    compressed += gzipSync(content).length;
  }
  return { bytes, compressed };
}

/** Size of all pages of a site. */
async function htmlBytes(site: string): Promise<number> {
  const paths = (await readdir(site, { recursive: true })).filter((path) => path.endsWith(".html"));
  const sizes = await Promise.all(paths.map(async (path) => (await stat(join(site, path))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function row(name: string, who: string, megabytes: number, result: Result): string[] {
  const kilobytes = result.reader.map(({ bytes }) => bytes / 1_000).sort((one, other) => one - other);
  const requests = result.reader.map((each) => each.requests).sort((one, other) => one - other);
  const range = (values: readonly number[]): string =>
    `${values[0]?.toFixed(0) ?? ""}–${values.at(-1)?.toFixed(0) ?? ""}`;
  return [
    name,
    who,
    String(result.pages),
    `${megabytes.toFixed(0)} MB`,
    `${result.seconds.toFixed(1)} s`,
    `${result.cpuSeconds.toFixed(1)} s`,
    `${result.peakMiB.toFixed(0)} MiB`,
    `${(result.bytes / 1e6).toFixed(1)}, ${(result.compressed / 1e6).toFixed(1)} MB`,
    `${range(kilobytes)} kB`,
    range(requests),
    `${result.found.amongThree}, ${result.found.first}`,
  ];
}

function overLimits(name: string, { pages, seconds, cpuSeconds, peakMiB, reader, found }: Result): string[] {
  const least = SENTENCES.includes(name) ? LEAST_SENTENCES : LEAST_FOUND;
  const limit = LIMITS.find((each) => pages <= each.pages) ?? LIMITS.at(-1);
  const most = Math.max(...reader.map(({ bytes }) => bytes / 1_000));
  const pageView = Math.max(...reader.map((each) => each.pageView));
  return [
    ...(seconds > (limit?.seconds ?? 0) ? [`${name}: ${seconds.toFixed(1)} s`] : []),
    ...(cpuSeconds > (limit?.seconds ?? 0) ? [`${name}: ${cpuSeconds.toFixed(1)} s of the processor`] : []),
    ...(peakMiB > PEAK_MIB ? [`${name}: ${peakMiB.toFixed(0)} MiB`] : []),
    ...(most > (limit?.kilobytes ?? 0) ? [`${name}: ${most.toFixed(0)} kB to the first results`] : []),
    ...(pageView > PAGE_VIEW_BYTES ? [`${name}: ${pageView} B for a page`] : []),
    ...(found.amongThree < least ? [`${name}: ${found.amongThree} of 40 found`] : []),
  ];
}
