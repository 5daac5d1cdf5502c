// The Markdown of copies of generators' sites: what a reader of a page sees is in it, and nothing else; wherever the copy is served, every
// address that `llms.txt` or a Markdown file names is answered, if the original answers it.
import { existsSync } from "node:fs";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { corpusFolder } from "../bench/search/corpora.ts";
import { scratchFolder } from "../copies/images.ts";
import { buildableSites, buildSite, type SiteName } from "./builtSite.ts";
import { type Context, HOSTS, serveAsBuilt } from "./hosts.ts";
import { crawl, pagesOf } from "./links.ts";
import { crawlMarkdown } from "./markdownLinks.ts";
import {
  contentOf,
  LEAST_KEPT,
  MarkdownMeasure,
  MOST_OTHER,
  MOST_PAGES,
  renderedText,
  shownFidelity,
} from "./markdownMeasure.ts";
import { CHROMIUM, openPage, startBrowser } from "./watchedPage.ts";

const hasChromium = existsSync(CHROMIUM);

interface MarkdownSite {
  readonly name: string;
  readonly basePath?: string;
  /** The element with the content, where the pages have no `<main>`. */
  readonly content?: string | undefined;
}

const SITES: readonly MarkdownSite[] = [
  { name: "docusaurus", basePath: "/handbook" },
  { name: "vitepress" },
  { name: "material" },
  { name: "mkdocs" },
  { name: "sphinx" },
  { name: "nextjs" },
  { name: "yard", content: "#content" },
];
const BUILDABLE: readonly string[] = buildableSites();
/** `CORPORA=python,httpd`: these sites of the bench `search`, in place of the others. Their content, where they have no `<main>`: */
const CONTENTS: Readonly<Record<string, string>> = {
  borg: ".body, .bodywrapper",
  "debian-handbook-es": "body > div.chapter, body > div.section, body > div.appendix, body > div.preface",
  drf: "#main-content",
  exim: "#content",
  "gimp-fr": "body",
  git: "body",
  httpd: "#page-content",
  libstdc: "body > div.chapter, body > div.section, body > div.appendix",
  nodejs: "#column1",
  postgresql: "body > div.sect1, body > div.chapter, body > div.refentry, body > div.appendix",
  qt: ".main .content, .main-rounded > .content",
};
const CORPORA: readonly MarkdownSite[] | undefined = process.env["CORPORA"]
  ?.split(",")
  .map((name) => ({ name, content: CONTENTS[name] }));
if (CORPORA) vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 1_200_000 });
const PLACES = ["folder", "bucket", "image"];

describe.each(CORPORA ?? SITES.filter(({ name }) => BUILDABLE.includes(name)))(
  "$name",
  ({ name, basePath = "", content = "main, [role=main]" }) => {
    const endings: (() => unknown)[] = [];
    const context = { onTestFinished: (end: () => unknown) => void endings.push(end) } as Context;
    let files: string;
    /** Targets of links that the site as it was built does not have. */
    let deadBefore: readonly string[];
    let original: string;
    let browser: Browser | undefined;

    beforeAll(async () => {
      files = CORPORA ? await corpusSite(context, name) : await buildSite(name as SiteName, () => undefined);
      original = await serveAsBuilt(context, files, basePath);
      const { dead } = await crawl(
        original,
        pagesOf(files).map((page) => basePath + page),
      );
      deadBefore = [...dead.keys()];
      if (!hasChromium) return;
      browser = await startBrowser();
      endings.push(() => browser?.close());
    });
    afterAll(async () => {
      for (const end of endings.reverse()) await end();
    });

    describe.each(HOSTS.filter(({ place }) => PLACES.includes(place)))("$title", (host) => {
      test("answers every address that llms.txt and the Markdown name", async () => {
        const url = await host.start(context, { files, basePath, llmsTxt: { full: true } });
        const { listed, answered, dead, otherTypes } = await crawlMarkdown(url, `${basePath}/llms.txt`);
        console.log(`${name}, ${host.place}: ${listed} pages listed, ${answered} addresses answered`);
        expect(listed).toBeGreaterThan(1);
        // the web server of the folder has a table of its own
        if (host.place !== "folder") expect(otherTypes).toEqual([]);
        expect([...dead].filter(([target]) => !deadBefore.includes(target))).toEqual([]);
      });
    });

    test.runIf(hasChromium)("has in its Markdown what a reader sees, and nothing else", async () => {
      const folder = HOSTS.find(({ place }) => place === "folder");
      const url = await folder?.start(context, { files, basePath, llmsTxt: true });
      if (browser === undefined || url === undefined) throw new Error("nothing to compare");
      const { page } = await openPage(browser, { javaScriptEnabled: false });
      const measure = new MarkdownMeasure();
      const pages = pagesOf(files)
        .filter((each) => !/404/.test(each))
        .slice(0, MOST_PAGES);
      for (const each of pages) {
        const path = each.endsWith("/") ? `${each}index.md` : each.replace(/\.x?html$/, ".md");
        const reply = await fetch(`${url}${basePath}${path}`);
        expect([path, reply.status]).toEqual([path, 200]);
        const markdown = await reply.text();
        await page.goto(`${original}${basePath}${each}`);
        const read = await contentOf(page, content);
        if (read === undefined) continue;
        measure.add(each, read, await renderedText(page, markdown));
      }
      await page.close();
      const { result, worst } = measure;
      console.log(
        `${name}: ${pages.length} pages,`,
        shownFidelity(result),
        `\n${worst.slice(0, 5).join("\n")}`,
      );
      expect(result.words).toBeGreaterThan(20);
      expect(result.kept).toBeGreaterThan(LEAST_KEPT);
      expect(result.other).toBeLessThan(MOST_OTHER);
      expect(result.code[1]).toBe(result.code[0]);
      expect(result.tables[1]).toBe(result.tables[0]);
    });
  },
);

test.runIf(BUILDABLE.includes("vitepress") && CORPORA === undefined)(
  "answers as the guide shows it",
  async (context) => {
    const guide = await readFile(join(import.meta.dirname, "../../docs/guides/agents.md"), "utf8");
    const [, transcript = ""] = /```console\n(.*?)```/s.exec(guide) ?? [];
    const baseUrl = "https://docs.internal/";
    const files = await buildSite("vitepress", () => undefined);
    const image = HOSTS.find(({ place }) => place === "image alone");
    const url = await image?.start(context, { files, basePath: "", llmsTxt: { baseUrl } });
    const asked = [...transcript.matchAll(/^\$ curl -s (\S+)\n(.*?)(?=\n\$ |$(?![^]))/gms)];
    expect(asked).toHaveLength(2);
    for (const [, address = "", shown] of asked) {
      const reply = await fetch(address.replace(baseUrl, `${url ?? ""}/`));
      expect(`${(await reply.text()).trimEnd()}\n`).toBe(`${shown?.trimEnd() ?? ""}\n`);
    }
  },
);

/** A corpus with a start page, which some parts of documentation lack. */
async function corpusSite(context: Context, name: string): Promise<string> {
  const site = join(await scratchFolder(context), "site");
  await cp(await corpusFolder(name, console.log), site, { recursive: true, dereference: true });
  const start = join(site, "index.html");
  if (!existsSync(start)) {
    await writeFile(start, "<!doctype html><title>Start</title><main><h1>Start</h1></main>");
  }
  return site;
}
