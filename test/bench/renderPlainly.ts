/** Child process of the thousand-pages bench, the measure to compare with: only what no renderer can avoid. */
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import MarkdownIt from "markdown-it";

const source = process.argv[2] ?? "";
const target = await mkdtemp(join(tmpdir(), "plain-"));
const startedMs = performance.now();
const markdown = new MarkdownIt({ html: true });
let pages = 0;
for (const file of await readdir(source, { recursive: true })) {
  if (!file.endsWith(".md")) continue;
  const page = join(target, file.replace(/md$/, "html"));
  await mkdir(dirname(page), { recursive: true });
  await writeFile(page, markdown.render(await readFile(join(source, file), "utf8")));
  pages++;
}
const seconds = (performance.now() - startedMs) / 1000;
await rm(target, { recursive: true });

console.log(JSON.stringify({ pages, seconds, peakRssMiB: process.resourceUsage().maxRSS / 1024 }));
