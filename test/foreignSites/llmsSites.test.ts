// The Markdown of sites that many generators make, beside that of the generators' own plugins: the same pages, the same measure.
import { existsSync } from "node:fs";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scratchFolder } from "../copies/images.ts";
import { type Context, HOSTS, serveAsBuilt } from "./hosts.ts";
import { crawl, pagesOf } from "./links.ts";
import { type BuiltLlmsSite, buildLlmsSite, LLMS_SITES, type LlmsSiteName } from "./llmsSites.ts";
import { crawlMarkdown } from "./markdownLinks.ts";
import {
  contentOf,
  LEAST_KEPT,
  MarkdownMeasure,
  MOST_OTHER,
  MOST_PAGES,
  type PageText,
  renderedText,
  shownFidelity,
} from "./markdownMeasure.ts";
import { startBrowser } from "./watchedPage.ts";

/** `SITES=Hugo,Antora`: only these. */
const WANTED = process.env["SITES"]?.split(",");
const NAMES = (Object.keys(LLMS_SITES) as LlmsSiteName[]).filter((name) => WANTED?.includes(name) ?? true);
const MINUTES = 60_000;

let browser: Browser;
const rows: Record<string, Record<string, string | number>> = {};
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  console.table(rows);
});

describe.each(NAMES)("%s", (name) => {
  const endings: (() => unknown)[] = [];
  const context = { onTestFinished: (end: () => unknown) => void endings.push(end) } as Context;
  let site: BuiltLlmsSite;
  let [original, copy]: [string, string] = ["", ""];
  let pages: readonly { readonly path: string; readonly text: PageText }[] = [];

  beforeAll(async () => {
    site = await withStart(context, await buildLlmsSite(name, (what) => console.log(what)));
    original = await serveAsBuilt(context, site.files);
    const folder = HOSTS.find(({ place }) => place === "folder");
    copy = (await folder?.start(context, { files: site.files, basePath: "", llmsTxt: { full: true } })) ?? "";
    pages = await readPages(original, site);
  }, 10 * MINUTES);
  afterAll(async () => {
    for (const end of endings.reverse()) await end();
  });

  test(
    "every address that llms.txt and the Markdown name is answered",
    { timeout: 5 * MINUTES },
    async () => {
      const { dead: deadBefore } = await crawl(original, pagesOf(site.files));
      const { listed, dead } = await crawlMarkdown(copy, "/llms.txt");
      expect(listed).toBeGreaterThan(1);
      expect([...dead].filter(([target]) => !deadBefore.has(target))).toEqual([]);
    },
  );

  test("the Markdown has what a reader sees, and nothing else", { timeout: 5 * MINUTES }, async () => {
    const { result, worst } = await measured(pages, async (path) => {
      const reply = await fetch(copy + path);
      return reply.ok ? reply.text() : undefined;
    });
    rows[name] = { pages: pages.length, ...shownFidelity(result) };
    if (worst.length > 0) console.log(`${name}:\n${worst.slice(0, 8).join("\n")}`);
    expect(result.words).toBeGreaterThan(20);
    expect(result.kept).toBeGreaterThan(LEAST_KEPT);
    expect(result.other).toBeLessThan(MOST_OTHER);
    expect(result.code[1]).toBe(result.code[0]);
    expect(result.tables[1]).toBe(result.tables[0]);
  });

  test("the generator's own plugins, by the same measure", { timeout: 5 * MINUTES }, async () => {
    for (const { plugin, files, isWhole } of site.own) {
      const { result, worst } = isWhole
        ? await measuredWhole(pages, await readFile(join(files, "llms-full.txt"), "utf8"))
        : await measured(pages, async (path) =>
            existsSync(join(files, path)) ? readFile(join(files, path), "utf8") : undefined,
          );
      rows[`${name}: ${plugin}`] = { pages: pages.length, ...shownFidelity(result) };
      if (worst.length > 0) console.log(`${plugin}:\n${worst.slice(0, 4).join("\n")}`);
      // otherwise its Markdown was not found
      expect(result.kept).toBeGreaterThan(0.3);
    }
  });
});

/** A site with a start page: some parts of documentation have none. */
async function withStart(context: Context, site: BuiltLlmsSite): Promise<BuiltLlmsSite> {
  if (existsSync(join(site.files, "index.html"))) return site;
  const files = join(await scratchFolder(context), "site");
  await cp(site.files, files, { recursive: true, dereference: true });
  await writeFile(
    join(files, "index.html"),
    "<!doctype html><title>Start</title><main><h1>Start</h1></main>",
  );
  return { ...site, files };
}

/** What a browser shows of the content of each page. */
async function readPages(url: string, { files, content }: BuiltLlmsSite) {
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  const found: { path: string; text: PageText }[] = [];
  for (const path of pagesOf(files)
    .filter((each) => !/404|genindex|search\.html/.test(each))
    .slice(0, MOST_PAGES)) {
    if (/<meta[^>]*http-equiv=.?refresh/i.test(await (await fetch(url + path)).text())) continue;
    await page.goto(url + path);
    const text = await contentOf(page, content);
    if (text) found.push({ path, text });
  }
  await page.context().close();
  return found;
}

/** @param markdownAt undefined if there is none at a path */
async function measured(
  pages: readonly { readonly path: string; readonly text: PageText }[],
  markdownAt: (path: string) => Promise<string | undefined>,
): Promise<MarkdownMeasure> {
  const measure = new MarkdownMeasure();
  const page = await browser.newPage();
  for (const { path, text } of pages) {
    const bare = path.replace(/(?:\/index)?\.x?html$|\/$/, "");
    let markdown: string | undefined;
    for (const each of [`${bare}/index.md`, ...(bare === "" ? [] : [`${bare}.md`])])
      markdown ??= await markdownAt(each);
    measure.add(path, text, await renderedText(page, withoutFront(markdown ?? "")));
  }
  await page.close();
  return measure;
}

/** One text that has all pages. */
async function measuredWhole(
  pages: readonly { readonly path: string; readonly text: PageText }[],
  markdown: string,
): Promise<MarkdownMeasure> {
  const measure = new MarkdownMeasure();
  const page = await browser.newPage();
  const sum = (count: (text: PageText) => number): number =>
    pages.reduce((all, { text }) => all + count(text), 0);
  const text: PageText = {
    words: pages.flatMap(({ text: { words } }) => words),
    all: pages.flatMap(({ text: { all } }) => all),
    code: sum(({ code }) => code),
    tables: sum(({ tables }) => tables),
  };
  measure.add("all pages", text, await renderedText(page, markdown));
  await page.close();
  return measure;
}

function withoutFront(markdown: string): string {
  return markdown.replace(/^---\n.*?\n---\n/s, "");
}
