// The Markdown of copies of generators' sites: what a reader of a page sees is in it, and nothing else; wherever the copy is served, every
// address that `llms.txt` or a Markdown file names is answered, if the original answers it.
import { existsSync } from "node:fs";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import MarkdownIt from "markdown-it";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { corpusFolder } from "../bench/search/corpora.ts";
import { scratchFolder } from "../copies/images.ts";
import { buildableSites, buildSite, type SiteName } from "./builtSite.ts";
import { type Context, HOSTS, serveAsBuilt } from "./hosts.ts";
import { crawl, pagesOf } from "./links.ts";
import { crawlMarkdown } from "./markdownLinks.ts";
import { CHROMIUM, openPage, startBrowser } from "./watchedPage.ts";

const hasChromium = existsSync(CHROMIUM);
/** Of the words that a reader sees in the content, and of those of the Markdown. */
const LEAST_KEPT = 0.995;
const MOST_OTHER = 0.01;
/** Pages of a site that a browser opens. */
const MOST_PAGES = 30;

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
      const sum = { seen: 0, kept: 0, written: 0, other: 0, code: 0, ownCode: 0, tables: 0, ownTables: 0 };
      const worst: string[] = [];
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
        const own = await renderedText(page, markdown);
        const kept = common(read.words, own.words);
        const other = own.words.length - common(own.words, read.all);
        sum.seen += read.words.length;
        sum.kept += kept;
        sum.written += own.words.length;
        sum.other += other;
        sum.code += read.code;
        sum.ownCode += own.code;
        sum.tables += read.tables;
        sum.ownTables += own.tables;
        if (kept < LEAST_KEPT * read.words.length || other > MOST_OTHER * own.words.length) {
          worst.push(
            `${each}: lost ${difference(read.words, own.words)}; other ${difference(own.words, read.all)}`,
          );
        }
      }
      await page.close();
      const share = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} %`;
      console.log(
        `${name}: ${pages.length} pages, ${share(sum.kept, sum.seen)} of ${sum.seen} words kept, ${share(sum.other, sum.written)} other, ` +
          `code ${sum.code}/${sum.ownCode}, tables ${sum.tables}/${sum.ownTables}\n${worst.slice(0, 5).join("\n")}`,
      );
      expect(sum.seen).toBeGreaterThan(20);
      expect(sum.kept / sum.seen).toBeGreaterThan(LEAST_KEPT);
      expect(sum.other / sum.written).toBeLessThan(MOST_OTHER);
      expect(sum.ownCode).toBe(sum.code);
      expect(sum.ownTables).toBe(sum.tables);
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

interface ReadText {
  readonly words: readonly string[];
  readonly code: number;
  readonly tables: number;
}

/** A program for the browser: what it shows of a page's content, without what helps to move on the page and what stands beside code. */
const CONTENT = `(wanted) => {
  const found = [...document.querySelectorAll(wanted)].filter((each) => !each.parentElement.closest(wanted));
  if (found.length === 0) return undefined;
  const beside =
    "script, style, noscript, template, nav, button:not([role=tab]):not([aria-expanded]), select, textarea, [role=navigation], [role=search], [aria-hidden=true], .linenos, .lineno, pre.lines, " +
    ".line-numbers-wrapper, .headerlink, .hash-link, .header-anchor, .gp, .sr-only, .visually-hidden, footer";
  for (const main of found) for (const each of main.querySelectorAll(beside)) each.remove();
  // of each text and of texts together: elements may stand within a word, or without a space between them
  const texts = (node) => (node.nodeType === 3 ? node.data : [...node.childNodes].map(texts).join(" "));
  const wordsOf = (text) => text.match(/[\\p{L}\\p{N}]+/gu) ?? [];
  const isOfCode = (table) => table.querySelector("pre") !== null && table.querySelector("th") === null;
  // code in a cell or a term is text in a line of the Markdown
  const isInLine = (code) => code.closest("dt") !== null || (code.closest("table") !== null && !isOfCode(code.closest("table")));
  const all = (selector) => found.flatMap((main) => [...main.querySelectorAll(selector)]);
  return {
    words: found.flatMap((main) => wordsOf(main.innerText)),
    all: [...found.flatMap((main) => [...wordsOf(main.textContent), ...wordsOf(texts(main))]), ...wordsOf(document.title)],
    code: all("pre").filter((each) => each.textContent.trim() !== "" && !each.parentElement.closest("pre") && !isInLine(each)).length,
    tables: all("table").filter((table) => !isOfCode(table)).length,
  };
}`;

function contentOf(
  page: Page,
  selector: string,
): Promise<(ReadText & { readonly all: readonly string[] }) | undefined> {
  return page.evaluate(`(${CONTENT})(${JSON.stringify(selector)})`);
}

/** The words of Markdown as a program renders it. */
async function renderedText(page: Page, markdown: string): Promise<ReadText> {
  const html = new MarkdownIt({ html: true }).render(markdown.replace(/ \{#[^\s{}]+\}$/gm, ""));
  await page.setContent(`<!doctype html><body>${html}</body>`);
  return page.evaluate(`({
    words: document.body.innerText.match(/[\\p{L}\\p{N}]+/gu) ?? [],
    code: document.querySelectorAll("pre").length,
    tables: document.querySelectorAll("table").length,
  })`);
}

function counted(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** How many of these words the others have, too. */
function common(words: readonly string[], others: readonly string[]): number {
  const counts = counted(others);
  return [...counted(words)].reduce((sum, [word, count]) => sum + Math.min(count, counts.get(word) ?? 0), 0);
}

function difference(words: readonly string[], others: readonly string[]): string {
  const counts = counted(others);
  return [...counted(words)]
    .filter(([word, count]) => count > (counts.get(word) ?? 0))
    .map(([word]) => word)
    .slice(0, 20)
    .join(" ");
}
