// The search in sites with tabs and accordions, as their generators make them: it finds every text that a reader can see, and leads to its
// section. Pagefind reads the same sites.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { indexByPagefind, preparePagefind } from "../bench/search/pagefind.ts";
import { startCountingServer } from "../bench/search/readerCost.ts";
import { find, languagesOf, publishedSite } from "../unit/publishing/offlineSearch/publishedSite.ts";
import { buildTabSite, TAB_SITE_NAMES, type TabSiteName, wordsOf } from "./tabSites.ts";
import { startBrowser } from "./watchedPage.ts";

/** The sections of each page. */
const SECTIONS = ["install-fruit", "questions-here", "after-it"];

/** Where a search leads: for each word the anchor of its best result, or undefined if it finds nothing. */
type Anchors = ReadonlyMap<string, string | undefined>;

let [browser, pagefind]: [Browser | undefined, string] = [undefined, ""];
const rows: Record<string, Record<string, string | number>> = {};
beforeAll(async () => {
  pagefind = await preparePagefind((what) => console.log(what));
  browser = await startBrowser();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  console.table(rows);
});

function filesIn(folder: string): Record<string, Buffer> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = paths.filter((path) => statSync(join(folder, path)).isFile());
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path))]));
}

async function ownAnchors(folder: string, words: readonly string[]): Promise<Anchors> {
  const site = await publishedSite(filesIn(folder));
  const [language = ""] = languagesOf(site).keys();
  const anchors = new Map<string, string | undefined>();
  for (const word of words) {
    const results = await find(site, word, language);
    anchors.set(word, results.find(({ path }) => path === "index.html")?.anchor);
  }
  return anchors;
}

/** Pagefind's best section of the page. */
async function pagefindAnchors(folder: string, words: readonly string[]): Promise<Anchors> {
  const target = mkdtempSync(join(tmpdir(), "tab-sites-"));
  onTestFinished(() => rmSync(target, { recursive: true }));
  await indexByPagefind(pagefind, folder, join(target, "pagefind"));
  const server = await startCountingServer(target, "en");
  const page = await browser?.newPage();
  try {
    await page?.goto(`${server.url}/blank.html`);
    const anchors = new Map<string, string | undefined>();
    for (const word of words) {
      const found = await page?.evaluate(`(async () => {
        const { search } = await import("/pagefind/pagefind.js");
        const { results } = await search(${JSON.stringify(word)});
        const shown = await Promise.all(results.map((result) => result.data()));
        const own = shown.find(({ url }) => url === "/" || url === "/index.html");
        return own && (own.sub_results.at(0)?.url ?? own.url);
      })()`);
      anchors.set(word, typeof found === "string" ? (found.split("#")[1] ?? "") : undefined);
    }
    return anchors;
  } finally {
    await page?.close();
    server.close();
  }
}

/** Whether an anchor is in the section that has the word, and not behind it: a browser shows the word below it. */
function isRight(html: string, word: string, anchor: string | undefined): boolean {
  const placeOf = (id: string): number =>
    html.search(new RegExp(`\\sid=["']?${id.replace(/\W/g, "\\$&")}["'\\s>]`));
  const starts = SECTIONS.map(placeOf);
  const first = starts[0] ?? -1;
  const at = html.indexOf(word, first);
  const start = Math.max(...starts.filter((each) => each <= at));
  if (anchor === undefined || first < 0 || at < 0) return false;
  const place = placeOf(anchor);
  return place >= start && place <= at;
}

test.for(TAB_SITE_NAMES)(
  "every text of every tab and accordion is found, and leads to its section: %s",
  { timeout: 900_000 },
  async (name: TabSiteName) => {
    const folder = await buildTabSite(name, (what) => console.log(what));
    const html = readFileSync(join(folder, "index.html"), "utf8");
    const words = wordsOf(name);
    const isWrong = (anchors: Anchors): string[] =>
      words.filter((word) => !isRight(html, word, anchors.get(word)));
    const [own, theirs] = [await ownAnchors(folder, words), await pagefindAnchors(folder, words)];
    const found = (anchors: Anchors): number =>
      words.filter((word) => anchors.get(word) !== undefined).length;
    rows[name] = {
      words: words.length,
      found: found(own),
      "right section": words.length - isWrong(own).length,
      "Pagefind: found": found(theirs),
      "Pagefind: right section": words.length - isWrong(theirs).length,
    };
    expect(isWrong(own).map((word) => `${word} → ${own.get(word) ?? "nothing"}`)).toEqual([]);
  },
);
