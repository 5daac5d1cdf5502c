// The search on pages whose own scripts fail, or change what the browser provides: it opens and finds as on any other page.
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scratchFolder } from "../copies/images.ts";
import { type Context, HOSTS } from "./hosts.ts";
import { CHROMIUM, openPage, startBrowser } from "./watchedPage.ts";

/** The first script of a page. Each error of it says «the site». */
const SCRIPTS: Readonly<Record<string, string>> = {
  "throws while the page loads": `throw new Error("the site: at load");`,
  "throws in the handler of each event": `
    for (const type of ["keydown", "keypress", "keyup", "beforeinput", "input", "pointerdown", "mousedown", "click", "focusin", "load"])
      for (const target of [window, document])
        for (const capture of [true, false])
          target.addEventListener(type, () => { throw new Error("the site: " + type); }, capture);
    new MutationObserver(() => { throw new Error("the site: change"); }).observe(document, { childList: true, subtree: true });`,
  "leaves rejected promises": `
    addEventListener("unhandledrejection", () => { throw new Error("the site: in the handler of rejections"); });
    setInterval(() => void Promise.reject(new Error("the site: rejected")), 50);`,
  "changes what the browser provides": `
    const refuse = () => { throw new Error("the site: not allowed"); };
    JSON.parse = JSON.stringify = window.fetch = XMLHttpRequest.prototype.open = refuse;
    // as libraries did before these were part of the language
    for (const name of ["last", "remove", "contains", "each", "toJSON"]) Array.prototype[name] = refuse;
    Object.prototype.extend = refuse;
    for (const name of ["map", "filter", "find", "forEach", "includes", "reduce"]) {
      const own = Array.prototype[name];
      Array.prototype[name] = function (...given) { return own.apply(this, given); };
    }
    // as tools that watch errors do
    const add = EventTarget.prototype.addEventListener;
    EventTarget.prototype.addEventListener = function (type, listener, options) {
      return add.call(this, type, (event) => { try { listener.call(this, event); } catch (error) { console.error("the site saw " + error); } }, options);
    };
    console.error("the site: changed");`,
  "has names like those of the search": `
    var settings = "the site", script = settings, root = settings, pending = true, query = settings, input = settings, list = settings, load = settings;
    throw new Error("the site: " + settings);`,
};

const OPENED: Readonly<Record<string, (on: Page) => Promise<void>>> = {
  "a slash": (on) => on.keyboard.press("/"),
  "Ctrl-K": (on) => on.keyboard.press("Control+k"),
  "its button": (on) => on.locator(".docs-hosting-search-button").click(),
};

const head = (title: string, script = ""): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="docs-hosting-search/icon.svg"><script>${script}</script><title>${title}</title></head>`;

describe.runIf(existsSync(CHROMIUM))("a script of the site that", () => {
  const endings: (() => unknown)[] = [];
  let url: string;
  let browser: Browser;

  beforeAll(async () => {
    const context = { onTestFinished: (end: () => unknown) => void endings.push(end) } as Context;
    const files = await scratchFolder(context);
    await writeFile(
      join(files, "index.html"),
      `${head("Jam")}<body><main><h1>Jam</h1><p>Boil the marmalade.</p></main></body></html>`,
    );
    for (const [number, script] of Object.values(SCRIPTS).entries()) {
      await writeFile(
        join(files, `${number}.html`),
        `${head(`Page ${number}`, script)}<body><main><h1>Page ${number}</h1></main></body></html>`,
      );
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
    Object.keys(SCRIPTS).flatMap((does, number) =>
      Object.keys(OPENED).map((opener) => [does, opener, number] as const),
    ),
  )("%s: the search opens by %s, and finds", async ([, opener, number]) => {
    const { page, complaints } = await openPage(browser);
    await page.goto(`${url}/${number}.html`);
    await page.locator(".docs-hosting-search-button").waitFor();
    await OPENED[opener]?.(page);
    await page.locator("dialog.docs-hosting-search").waitFor();
    await page.keyboard.type("marmalade");
    await page.getByRole("option", { name: "Jam" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL((address) => address.pathname === "/");
    // the script did what it is here for, and nothing else failed
    expect(complaints).not.toEqual([]);
    expect(complaints.filter((complaint) => !complaint.includes("the site"))).toEqual([]);
    await page.close();
  });
});
