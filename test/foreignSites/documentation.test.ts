// The documentation of this project as its site: made by `npm run docs`, served below a path as code hosts do, read in a browser.
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
import { QUESTIONS } from "./questions.ts";
import { CHROMIUM, type WatchedPage, openPage, startBrowser, takeScreenshot } from "./watchedPage.ts";

const MAIN = join(import.meta.dirname, "../../examples/start/main.ts");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Opens a page for each of many things. */
const LONG = { timeout: 180_000 };

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

  test(
    "no page has an error, a request to another host, or a line that scrolls sideways on a phone",
    LONG,
    async () => {
      const { page } = watched;
      const tooWide = [];
      for (const path of pages()) {
        await page.setViewportSize({ width: 390, height: 780 });
        await page.goto(url + path);
        const width = await page.evaluate("document.documentElement.scrollWidth");
        if (width !== 390) tooWide.push(`${path}: ${String(width)}`);
      }
      expect(tooWide).toEqual([]);
    },
  );

  test.each(["light", "dark"] as const)("the pages of each kind are accessible, %s", async (colorScheme) => {
    const { page } = watched;
    await page.emulateMedia({ colorScheme });
    const violations = [];
    for (const path of ["index", "contents", "guides/cost", "reference/static-export", "reference/errors"]) {
      await page.goto(`${url}${path}.html`);
      await page.evaluate(AXE);
      const found = await page.evaluate(
        "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))",
      );
      violations.push(...(found as string[]).map((violation) => `${path}: ${violation}`));
      await takeScreenshot(page, `documentation-${path.replace("/", "-")}-${colorScheme}`);
    }
    expect(violations).toEqual([]);
  });

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

  test("the search answers each question of new users among its first three results", LONG, async () => {
    const { page } = watched;
    const missed = [];
    for (const [question, ...answers] of QUESTIONS) {
      await page.goto(url);
      await page.keyboard.press("/");
      await dialog(page).waitFor();
      await dialog(page).getByRole("combobox").fill(question);
      await expect.poll(() => dialog(page).getByRole("status").textContent()).not.toBe("");
      const found = await page.evaluate<string[]>(
        "[...document.querySelectorAll('dialog [role=option]')].map(({ href }) => href)",
      );
      const first = found
        .slice(0, 3)
        .map((address) => address.replace(url, "").replace(/(index)?(\.html)?(#.*)?$/, ""));
      if (!first.some((address) => answers.includes(address)))
        missed.push(`${question}: ${first.join(", ")}`);
    }
    expect(missed).toEqual([]);
  });
});
