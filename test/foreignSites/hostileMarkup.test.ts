// The search on pages with markup of strangers that sanitizers let through, and with style sheets that hide the box.
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scratchFolder } from "../copies/images.ts";
import { type Context, HOSTS } from "./hosts.ts";
import { CHROMIUM, openPage, startBrowser } from "./watchedPage.ts";

const PARTS = [
  ...["currentScript", "createElement", "head", "body", "documentElement", "elementFromPoint", "location"],
  ...["getElementById", "querySelector", "defaultView", "activeElement", "addEventListener", "scripts"],
];
const GLOBALS = [
  ...["docsHostingSearch", "docsHostingSearchOpen", "docsHostingSearchSettings", "getComputedStyle"],
  ...["addEventListener", "MutationObserver", "location", "Document", "Element", "HTMLScriptElement"],
];

/** Markup of a page. A folder of its author is `stranger/`. */
const MARKUP: Readonly<Record<string, string>> = {
  "images with the names of parts of the document": PARTS.map(
    (name) => `<img name="${name}" src="stranger/${name}/load.js">`,
  ).join(""),
  "forms with the names of parts of the document": PARTS.map(
    (name) => `<form name="${name}" action="stranger/"><input name="src" value="stranger/load.js"></form>`,
  ).join(""),
  "elements with the names of the search": GLOBALS.map(
    (name) =>
      `<a id="${name}" href="stranger/load.js">a</a><a id="${name}" name="push" href="stranger/">b</a>`,
  ).join(""),
  "a form whose field has the name of a method": `<form tabindex="0" autofocus><input name="closest"></form>`,
  "elements with the ids of the box": `<div id="docs-hosting-search-results"></div><div id="docs-hosting-search-0"></div>`,
};

/** Rules of a page that hide the box, or parts of it. */
const HIDING: Readonly<Record<string, string>> = {
  "no display": "dialog { display: none !important }",
  "no display of anything in a dialog": "dialog, dialog * { display: none !important }",
  "no visibility": "dialog { visibility: hidden !important }",
  "no opacity": "dialog { opacity: 0 !important }",
  "a place outside of the window": "dialog { position: fixed !important; left: -9999px !important }",
  "no size":
    "dialog { max-height: 0 !important; padding: 0 !important; border: 0 !important; overflow: hidden }",
  "a clip": "dialog { clip-path: inset(50%) !important }",
  "a scale": "dialog { transform: scale(0) !important }",
};

const OPENED: Readonly<Record<string, (on: Page) => Promise<void>>> = {
  "Ctrl-K": (on) => on.keyboard.press("Control+k"),
  "its button": (on) => on.locator(".docs-hosting-search-button").click(),
};

const PAGES = [
  ...Object.entries(MARKUP).map(([name, markup]) => ({ name, style: "", markup })),
  ...Object.entries(HIDING).map(([name, style]) => ({ name, style: `<style>${style}</style>`, markup: "" })),
];

const html = (title: string, style: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="docs-hosting-search/icon.svg">${style}<title>${title}</title></head><body><main><h1>${title}</h1>${body}</main></body></html>`;

describe.runIf(existsSync(CHROMIUM))("a page with", () => {
  const endings: (() => unknown)[] = [];
  let url: string;
  let browser: Browser;

  beforeAll(async () => {
    const context = { onTestFinished: (end: () => unknown) => void endings.push(end) } as Context;
    const files = await scratchFolder(context);
    await writeFile(join(files, "index.html"), html("Jam", "", "<p>Boil the marmalade.</p>"));
    for (const [number, { style, markup }] of PAGES.entries()) {
      await writeFile(join(files, `${number}.html`), html(`Page ${number}`, style, markup));
    }
    const host = HOSTS.find(({ place }) => place === "folder");
    url = (await host?.start(context, { files, basePath: "", offlineSearch: true })) ?? "";
    browser = await startBrowser();
    endings.push(() => browser.close());
  });
  afterAll(async () => {
    for (const end of endings.reverse()) await end();
  });

  test.for(
    PAGES.flatMap(({ name }, number) => Object.keys(OPENED).map((opener) => [name, opener, number] as const)),
  )(
    "%s: the search opens by %s, finds, and loads nothing from a folder that the page names",
    async ([, opener, number]) => {
      const { page, requested } = await openPage(browser);
      await page.goto(`${url}/${number}.html`);
      await page.locator(".docs-hosting-search-button").waitFor();
      await OPENED[opener]?.(page);
      await page.locator("dialog.docs-hosting-search input").waitFor();
      await page.keyboard.type("marmalade");
      await page.getByRole("option", { name: "Jam" }).waitFor();
      const scripts = requested.filter(
        (address) => address.endsWith(".js") && !address.includes("/stranger/"),
      );
      expect(scripts.filter((address) => !address.startsWith(`${url}/docs-hosting-search/`))).toEqual([]);
      expect(requested.filter((address) => /\/stranger\/.*(?:box|words|text|lang)-/.test(address))).toEqual(
        [],
      );
      await page.keyboard.press("Enter");
      await page.waitForURL((address) => address.pathname === "/");
      await page.close();
    },
  );

  test("pasted text of a megabyte is cut, and the box still answers", async () => {
    const { page } = await openPage(browser);
    await page.goto(`${url}/`);
    await page.locator(".docs-hosting-search-button").click();
    const input = page.locator("dialog.docs-hosting-search input");
    await input.waitFor();
    await input.evaluate((field) => {
      Object.assign(field, { value: "marmalade ".repeat(100_000) });
      (field as unknown as EventTarget).dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    });
    await page.getByRole("option", { name: "Jam" }).waitFor({ timeout: 5_000 });
    await page.close();
  });
});
