// The documentation of this project as its site: made by `npm start -- --example documentation`, served below a path as code hosts do,
// read in a browser.
import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import fastifyStatic from "@fastify/static";
import Fastify from "fastify";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../copies/images.ts";
import type { Context } from "./hosts.ts";
import { FIRST, QUESTIONS } from "./questions.ts";
import { CHROMIUM, openPage, startBrowser, takeScreenshot, type WatchedPage } from "./watchedPage.ts";

const MAIN = join(import.meta.dirname, "../../examples/start/main.ts");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Opens a page for each of many things. */
const LONG = { timeout: 180_000 };

/** Counts the blocks of code and the tables of a page, and lists those that do not show all of their content. */
const MEASURE = `(() => {
  const blocks = [...document.querySelectorAll(".code, .code pre, .table, table")];
  const end = document.querySelector("article")?.getBoundingClientRect().right;
  const cut = blocks.filter((block) => block.scrollWidth > block.clientWidth || block.getBoundingClientRect().right > end + 1);
  const page = document.documentElement.scrollWidth > innerWidth ? ["the whole page"] : [];
  return [blocks.length, [...page, ...cut.map((block) => block.tagName + " " + block.textContent.slice(0, 80))]];
})()`;

/** The address of a page without what differs between links to it. */
const bare = (address: string): string => address.replace(/index\.html$/, "");

const endings: (() => unknown)[] = [];
let printed: string;
let site: string;

beforeAll(async () => {
  const context = { onTestFinished: (end: () => unknown) => void endings.push(end) } as Context;
  const output = await scratchFolder(context);
  const args = [MAIN, "--example", "documentation", "--output", output];
  const env = { ...process.env, ENGINE: "local" };
  printed = (await promisify(execFile)(process.execPath, args, { env })).stdout;
  site = join(output, "current");
});
afterAll(async () => {
  for (const end of endings.reverse()) await end();
});

test("has a page for each document, and no broken link", () => {
  const pages = globSync("**/*.html", { cwd: site }).filter(
    (path) => !path.startsWith("docs-hosting-search/"),
  );
  expect(pages.length).toBeGreaterThan(30);
  expect(printed).toContain(`${pages.length - 1} pages`); // without 404.html
  expect(printed).not.toMatch(/warning|completed with/);
});

describe.runIf(existsSync(CHROMIUM))("in a browser", () => {
  let url: string;
  let browser: Browser;
  let watched: WatchedPage;

  beforeAll(async () => {
    const server = Fastify({ forceCloseConnections: true });
    await server.register(fastifyStatic, { root: site, prefix: "/project/" });
    url = `${await server.listen({ host: "127.0.0.1", port: 0 })}/project/`;
    endings.push(() => server.close());
    browser = await startBrowser();
    endings.push(() => browser.close());
  });
  beforeEach(async () => {
    watched = await openPage(browser);
  });
  afterEach(async () => {
    await watched.page.close();
    expect(watched.complaints).toEqual([]);
    expect(watched.requested.filter((address) => !address.startsWith(url))).toEqual([]);
  });

  const pages = () => globSync("**/*.html", { cwd: site }).sort();
  const dialog = (on: Page) => on.locator("dialog.docs-hosting-search");

  test.each([390, 1280, 1600])(
    "no page has an error, a request to another host, or code or a table that is cut, %i pixels wide",
    LONG,
    async (width) => {
      const { page } = watched;
      await page.setViewportSize({ width, height: 780 });
      const tooWide = [];
      let blocks = 0;
      for (const path of pages()) {
        await page.goto(url + path);
        const measured = await page.evaluate<readonly [count: number, cut: readonly string[]]>(MEASURE);
        blocks += measured[0];
        tooWide.push(...measured[1].map((what) => `${path}: ${what}`));
      }
      expect(tooWide).toEqual([]);
      expect(blocks).toBeGreaterThan(300);
    },
  );

  test("on a phone, each cell of a table is a block with the name of its column", async () => {
    const { page } = watched;
    await page.setViewportSize({ width: 390, height: 780 });
    await page.goto(`${url}reference/errors.html`);
    const cells = page.locator("tr#the-run-was-cancelled td");
    const [message, meaning] = [await cells.first().boundingBox(), await cells.last().boundingBox()];
    expect(meaning?.y).toBeGreaterThanOrEqual((message?.y ?? 0) + (message?.height ?? 0));
    const names =
      "[...document.querySelectorAll('#the-run-was-cancelled td')].map((cell) => getComputedStyle(cell, '::before').content)";
    expect(await page.evaluate(names)).toEqual(['"the error says"', '"what it means and what to do"']);
  });

  test("the navigation has the titles of pages, in the order of the contents", async () => {
    const { page } = watched;
    await page.goto(url);
    const links = await page.evaluate<readonly (readonly [label: string, address: string])[]>(
      "[...document.querySelectorAll('#site-navigation a')].map((link) => [link.textContent, link.href])",
    );
    for (const [label, address] of links) {
      await page.goto(address);
      expect(label).toBe(await page.evaluate("document.querySelector('h1').textContent"));
    }
    const top =
      "[...document.querySelector('#site-navigation > ul').children].map((entry) => entry.querySelector('a, summary').textContent)";
    expect(await page.evaluate(top)).toEqual([
      ...["pulumi-docs-hosting", "Documentation", "Guides", "Reference", "Examples"],
      ...["How it works", "Figures", "Changelog"],
    ]);
    const visited = [url];
    for (await page.goto(url); ;) {
      const next = page.locator(".neighbours .next");
      if ((await next.count()) === 0) break;
      await next.click();
      visited.push(page.url());
    }
    expect(visited.map(bare)).toEqual(links.map(([, address]) => bare(address)));
  });

  test("each message of the list of errors has an address, at which the reader sees it", LONG, async () => {
    const { page } = watched;
    await page.goto(`${url}reference/errors.html`);
    const rows = await page.locator("tbody tr").count();
    const links = await page.evaluate<readonly string[]>(
      "[...document.querySelectorAll('tbody tr[id] > td:first-child > .permalink')].map((link) => link.href)",
    );
    expect(rows).toBeGreaterThan(60);
    expect(new Set(links).size).toBe(rows);
    for (const link of links.filter((_, index) => index % 10 === 0)) {
      await page.goto(link);
      const header = await page.locator(".site-header").boundingBox();
      const row = await page.locator("tr:target").boundingBox();
      expect(row?.y).toBeGreaterThanOrEqual(header?.height ?? Infinity);
      expect(row?.y).toBeLessThan(800);
    }
  });

  test.each([390, 1280])("the search opens from its box in the header, %i pixels wide", async (width) => {
    const { page } = watched;
    await page.setViewportSize({ width, height: 780 });
    await page.goto(`${url}guides/first-export.html`);
    const box = page.getByRole("banner").getByRole("search").getByRole("button", { name: "Search" });
    expect(await box.textContent()).toBe("Search");
    await box.click();
    await dialog(page).getByRole("combobox").waitFor();
    await page.keyboard.press("Escape");
    await box.focus();
    await page.keyboard.press("d");
    await dialog(page).getByRole("combobox").waitFor();
    expect(await page.locator(".docs-hosting-search-button").count()).toBe(0); // it would cover text
  });

  const LOOKS = [1280, 390].flatMap((width) =>
    (["light", "dark"] as const).map((scheme) => [scheme, width] as const),
  );
  test.each(LOOKS)(
    "the pages of each kind are accessible, %s, %i pixels wide",
    LONG,
    async (colorScheme, width) => {
      const { page } = watched;
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      const violations = [];
      for (const path of [
        "index",
        "contents",
        "guides/cost",
        "reference/static-export",
        "reference/errors",
      ]) {
        await page.goto(`${url}${path}.html`);
        await page.evaluate(AXE);
        const found = await page.evaluate(
          "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))",
        );
        violations.push(...(found as string[]).map((violation) => `${path}: ${violation}`));
        await takeScreenshot(page, `documentation-${path.replace("/", "-")}-${colorScheme}-${width}`);
      }
      expect(violations).toEqual([]);
    },
  );

  test("is read by keyboard alone: skip to the content, follow a link, search, open what was found", async () => {
    const { page } = watched;
    await page.goto(url);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
    await page.keyboard.press("/");
    await dialog(page).waitFor();
    await page.keyboard.type("decision codes");
    await dialog(page).getByRole("option").first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/reference\/decision-codes(\.html)?/);
    expect(await page.title()).toMatch(/^Decision codes /);
  });

  /** The pages that the search finds, best first. */
  const found = async (question: string): Promise<string[]> => {
    const { page } = watched;
    await page.goto(url);
    await page.keyboard.press("/");
    await dialog(page).waitFor();
    await dialog(page).getByRole("combobox").fill(question);
    await expect.poll(() => dialog(page).getByRole("status").textContent()).not.toBe("");
    const addresses = await page.evaluate<string[]>(
      "[...document.querySelectorAll('dialog [role=option]')].map(({ href }) => href)",
    );
    return addresses.map((address) => address.replace(url, "").replace(/(index)?(\.html)?(#.*)?$/, ""));
  };

  test("the search answers each question of new users among its first three results", LONG, async () => {
    const missed = [];
    for (const [question, ...answers] of QUESTIONS) {
      const first = (await found(question)).slice(0, 3);
      if (!first.some((address) => answers.includes(address))) {
        missed.push(`${question}: ${first.join(", ")}`);
      }
    }
    expect(missed).toEqual([]);
  });

  test("the page that explains something is found before the changelog that names it", LONG, async () => {
    const first = [];
    for (const [question] of FIRST) first.push([question, (await found(question))[0]]);
    expect(first).toEqual(FIRST);
  });
});
