import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { servedManual } from "../service/exportedSite.ts";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const hasChromium = existsSync(CHROMIUM);
if (!hasChromium) console.log(`exportedTheme: skipped, there is no Chromium at ${CHROMIUM} (set CHROMIUM)`);

const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync".split(
    " ",
  );

const DESKTOP = { width: 1280, height: 800 };
const WIDE = { width: 1600, height: 900 };
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

  for (const [name, viewport] of Object.entries({ desktop: DESKTOP, "wide desktop": WIDE, phone: PHONE })) {
    test.each(DEMANDING_PAGES)(`fits the width of a ${name}, and cuts no code: %s`, async (address) => {
      await page.setViewportSize(viewport);
      await page.goto(served.url + address);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(viewport.width);
      const blocks = await page.evaluate(
        "[...document.querySelectorAll('.code, .code pre')].map((one) => one.scrollWidth <= one.clientWidth)",
      );
      expect(blocks).not.toContain(false);
    });
  }

  test("shows all of its navigation on a desktop, and the page's contents on a wide one", async () => {
    await page.goto(`${served.url}Reference/Routes.html`);
    expect(await page.locator("#site-navigation").isVisible()).toBe(true);
    expect(await page.locator(".page-contents").isVisible()).toBe(false);
    await page.setViewportSize(WIDE);
    expect(await page.locator(".page-contents").isVisible()).toBe(true);
    expect(await page.getByRole("button", { name: "On this page" }).isVisible()).toBe(false);
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

  test.each([DESKTOP, PHONE])(
    "opens the page's contents by a button where it has no room: %o",
    async (viewport) => {
      await page.setViewportSize(viewport);
      await page.goto(`${served.url}Reference/Server.html`);
      await page.getByRole("button", { name: "On this page" }).click();
      const contents = page.locator(".page-contents");
      expect(await contents.isVisible()).toBe(true);
      await contents.getByRole("link", { name: "bodyLimit" }).click();
      expect(await contents.isVisible()).toBe(false);
      expect((await page.locator("#bodylimit").boundingBox())?.y).toBeLessThan(200);
    },
  );

  test("keeps the button of its menu in a row of its own, above the list that scrolls", async () => {
    await page.setViewportSize(PHONE);
    await page.goto(`${served.url}index.html`);
    await page.getByRole("button", { name: "Menu" }).click();
    const navigation = page.locator("#site-navigation");
    await navigation.getByRole("link").last().scrollIntoViewIfNeeded();
    const scrolled = "document.getElementById('site-navigation').scrollTop";
    expect(await page.evaluate(scrolled)).toBeGreaterThan(100);
    const row = await navigation.locator("p").boundingBox();
    expect(row).toMatchObject({ x: 0, y: 0 });
    // whatever is behind the row is behind all of it: nothing is seen beside the button
    for (const x of [2, 100, (row?.width ?? 0) - 20]) {
      const found = await page.evaluate(`document.elementFromPoint(${x}, 30).closest("a, summary")`);
      expect(found).toBeNull();
    }
    const background = "getComputedStyle(document.querySelector('#site-navigation p')).backgroundColor";
    expect(await page.evaluate(background)).toBe("rgb(255, 255, 255)");
  });

  test("has no search box without a search", async () => {
    await page.goto(`${served.url}index.html`);
    expect(await page.getByRole("search").count()).toBe(0);
  });

  test.each([true, false])(
    "copies code by mouse and keyboard (with a clipboard: %s)",
    async (hasClipboard) => {
      // on hosts of plain http there is none
      if (!hasClipboard) {
        await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
      }
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.goto(`${served.url}Reference/Server.html`);
      const block = page.locator(".code").first();
      const code = await block.locator("code").textContent();
      const button = block.getByRole("button");
      expect(await button.getAttribute("aria-label")).toBe("Copy the code");
      await button.focus();
      await page.keyboard.press("Enter");
      await block.getByRole("button", { name: "Copied the code" }).waitFor();
      await page.evaluate("document.body.prepend(document.createElement('textarea'))");
      await page.locator("textarea").focus();
      await page.keyboard.press("ControlOrMeta+V");
      expect(await page.locator("textarea").inputValue()).toBe(code);
      const [above, below] = [await button.boundingBox(), await block.locator("code").boundingBox()];
      expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
    },
  );

  test("is dark for readers who prefer it", async () => {
    const background = "getComputedStyle(document.documentElement).backgroundColor";
    await page.goto(served.url + "index.html");
    expect(await page.evaluate(background)).toBe("rgb(255, 255, 255)");
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await page.evaluate(background)).toBe("rgb(22, 24, 29)");
  });
});
