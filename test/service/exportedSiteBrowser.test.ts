import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, type Page, chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { servedManual } from "./exportedSite.ts";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const hasChromium = existsSync(CHROMIUM);
if (!hasChromium)
  console.log(`exportedSiteBrowser: skipped, there is no Chromium at ${CHROMIUM} (set CHROMIUM)`);

const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync".split(
    " ",
  );

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** Long code lines, wide tables, many headings. */
const DEMANDING_PAGES = [
  "index.html",
  "Reference/Server.html",
  "Reference/Errors.html",
  "Reference/Validation-and-Serialization.html",
];

describe.runIf(hasChromium)("in a browser, the exported site", () => {
  const served = servedManual();
  let browser: Browser;
  let page: Page;
  /** Addresses of all requests of the page. */
  let requested: string[];
  /** Messages of the page on its console. */
  let complaints: string[];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  });

  afterAll(() => browser.close());

  beforeEach(async () => {
    page = await browser.newPage({ viewport: DESKTOP });
    requested = [];
    complaints = [];
    page.on("request", (request) => requested.push(request.url()));
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
  });

  afterEach(() => page.close());

  for (const [name, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    test.each(DEMANDING_PAGES)(`fits the width of a ${name}: %s`, async (address) => {
      await page.setViewportSize(viewport);
      await page.goto(served.url + address);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(viewport.width);
    });
  }

  test("shows all of its navigation and the page's contents on a desktop", async () => {
    await page.goto(`${served.url}Reference/Routes.html`);
    expect(await page.locator("#site-navigation").isVisible()).toBe(true);
    expect(await page.locator(".page-contents").isVisible()).toBe(true);
    expect(await page.locator(".menu-button").isVisible()).toBe(false);
    expect(await page.locator("#site-navigation [aria-current=page]").textContent()).toBe("Routes");
    await page.locator("#site-navigation").getByRole("link", { name: "Hooks" }).click();
    expect(page.url()).toBe(`${served.url}Reference/Hooks.html`);
  });

  test.each([true, false])(
    "opens its navigation by a button on a phone (JavaScript: %s)",
    async (javaScriptEnabled) => {
      const phone = await browser.newPage({ viewport: PHONE, javaScriptEnabled });
      await phone.goto(`${served.url}index.html`);
      const navigation = phone.locator("#site-navigation");
      expect(await navigation.isVisible()).toBe(false);
      await phone.getByRole("button", { name: "Menu" }).click();
      expect(await navigation.isVisible()).toBe(true);
      await navigation.getByRole("button", { name: "Close" }).click();
      expect(await navigation.isVisible()).toBe(false);
      await phone.getByRole("button", { name: "Menu" }).click();
      await navigation.getByRole("link", { name: "Getting Started" }).click();
      expect(phone.url()).toBe(`${served.url}Guides/Getting-Started.html`);
      expect(await navigation.isVisible()).toBe(false);
      await phone.close();
    },
  );

  test("requests nothing from other hosts and reports no errors", async () => {
    for (const address of [...DEMANDING_PAGES, "Reference/Encapsulation.html", "Guides/Ecosystem.html"]) {
      await page.goto(served.url + address);
    }
    expect(requested.length).toBeGreaterThan(12);
    expect(requested.filter((url) => !url.startsWith(served.url))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("shows its images", async () => {
    await page.goto(`${served.url}Reference/Encapsulation.html`);
    expect(await page.evaluate("document.querySelector('article img').naturalWidth")).toBeGreaterThan(100);
  });

  test("works from disk, without any server", async () => {
    await page.goto(pathToFileURL(join(served.site.folder, "index.html")).href);
    expect(await page.evaluate("getComputedStyle(document.querySelector('.site-header')).position")).toBe(
      "sticky",
    );
    await page.locator("article").getByRole("link", { name: "Reference documentation", exact: true }).click();
    await page.locator("article").getByRole("link", { name: "Server" }).first().click();
    expect(page.url()).toBe(pathToFileURL(join(served.site.folder, "Reference/Server.html")).href);
    await page.goto(`${page.url()}#bodylimit`);
    expect(await page.locator("#bodylimit").isVisible()).toBe(true);
    expect(requested.filter((url) => !url.startsWith(pathToFileURL(served.site.folder).href))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("marks the section that is being read in the page's contents", async () => {
    await page.goto(`${served.url}Reference/Server.html#bodylimit`);
    const current = page.locator(".page-contents [aria-current]");
    await current.waitFor();
    expect(await current.textContent()).toBe("bodyLimit");
  });

  test("is dark for readers who prefer it", async () => {
    const background = "getComputedStyle(document.documentElement).backgroundColor";
    await page.goto(served.url + "index.html");
    expect(await page.evaluate(background)).toBe("rgb(255, 255, 255)");
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await page.evaluate(background)).toBe("rgb(22, 24, 29)");
  });
});
