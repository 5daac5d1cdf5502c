// Makes the search of one site in its own process, for `search.ts`. Arguments: the site's folder, a folder for the search.
// Prints the cost.
import { createReadStream, readFileSync } from "node:fs";
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { PagesWithAdditions } from "../../../dist/provider/publishing/additions/pagesWithAdditions.js";
import { SiteSearch } from "../../../dist/provider/publishing/offlineSearch/siteSearch.js";

/** What a search costs to make. */
export interface IndexCost {
  readonly pages: number;
  readonly seconds: number;
  /** Of the processor. */
  readonly cpuSeconds: number;
  readonly peakMiB: number;
  /** The longest time for which nothing else could run in the process. Programs of others do not tell it. */
  readonly gapMs?: number;
}

const [site = "", target = ""] = process.argv.slice(2);
const entries = await readdir(site, { recursive: true, withFileTypes: true });
const paths = entries
  .filter((entry) => entry.isFile())
  .map((entry) => relative(site, join(entry.parentPath, entry.name)));
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
const startedAt = performance.now();
const files = new Set(paths);
const sink = {
  async file({ path }: { path: string }, content: AsyncIterable<Uint8Array>): Promise<void> {
    if (files.has(path)) return;
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(piece);
    await mkdir(dirname(join(target, path)), { recursive: true });
    await writeFile(join(target, path), Buffer.concat(pieces));
  },
};
const { signal } = new AbortController();
const search = new SiteSearch(sink, {}, (path) => files.has(path), signal);
const added = new PagesWithAdditions(sink, { search }, signal);
for (const path of paths) {
  if (!/\.x?html?$/.test(path)) continue; // others pass through
  const { size } = await stat(join(site, path));
  await added.file({ path, size }, createReadStream(join(site, path)));
}
const { searchPages: pages = 0 } = await added.finish();
await added.end();
const { user, system } = process.cpuUsage();
const cost: IndexCost = {
  pages,
  seconds: (performance.now() - startedAt) / 1_000,
  cpuSeconds: (user + system) / 1e6,
  // not `resourceUsage`, which includes the parent's memory at the start of this process
  peakMiB: Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1_024,
  gapMs: delay.max / 1e6,
};
console.log(JSON.stringify(cost));
