// The search that copies contain, in a browser: sites of other generators, and one with a policy that allows no inline code.
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { scratchFolder } from "../copies/images.ts";
import { buildableSites, buildSite } from "./builtSite.ts";
import { type Context, HOSTS } from "./hosts.ts";
import { CHROMIUM, openPage, startBrowser, takeScreenshot, type WatchedPage } from "./watchedPage.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface SearchedSite {
  name: string;
  basePath: string;
  /** A page to start from, a link on it, and where that leads. */
  start: string;
  link: string;
  /** What is searched for, and the page that is found. */
  query: string;
  found: { path: RegExp; heading: string };
  /** The site's own search box. */
  ownBox?: string;
  /** The hosts that it is tried on. Default: all. */
  places?: readonly string[];
  web?: Readonly<Record<string, unknown>>;
  files(context: Context): Promise<string>;
}

const page = (title: string, body: string, charset = "utf-8"): string =>
  `<!doctype html><html lang="en"><head><meta charset="${charset}"><link rel="icon" href="/docs-hosting-search/icon.svg"><title>${title} | Plain</title></head><body><main><h1>${title}</h1>${body}</main></body></html>`;

/** Pages without a script or a style of their own. */
async function plainSite(context: Context): Promise<string> {
  const folder = await scratchFolder(context);
  await mkdir(join(folder, "guide"), { recursive: true });
  const hostile =
    "<p>&lt;img src=x onerror=&quot;document.title='run'&quot;&gt; &lt;/script&gt; marmalade</p>";
  // the search is loaded by a page that is not in UTF-8
  await writeFile(
    join(folder, "index.html"),
    page("Start", '<a href="guide/jam.html">Jam</a>', "windows-1252"),
  );
  await writeFile(join(folder, "guide/jam.html"), page("Jam", `<p>Boil the モモ.</p>${hostile}`));
  return folder;
}

const SITES: SearchedSite[] = [
  {
    name: "nextjs",
    basePath: "",
    start: "/",
    link: "Guide",
    query: "ceiling",
    found: { path: /^\/guide\/install\/?$/, heading: "Installing" },
    files: () => buildSite("nextjs", () => undefined),
  },
  {
    name: "docusaurus",
    basePath: "/handbook",
    start: "/handbook/",
    link: "First steps",
    query: "vinegar",
    found: { path: /^\/handbook\/docs\/descaling\/?$/, heading: "Descaling" },
    ownBox: ".navbar__search-input",
    files: () => buildSite("docusaurus", () => undefined),
  },
  ...(
    [
      {
        name: "vitepress",
        link: "Brakes",
        query: "degreaser",
        page: "chain",
        heading: "Chain",
        ownBox: ".DocSearch-Button",
      },
      {
        name: "mkdocs",
        link: "Soil",
        query: "oxygen",
        page: "compost",
        heading: "Compost",
        ownBox: '[data-bs-target="#mkdocs_search_modal"]',
      },
      {
        name: "material",
        link: "Soil",
        query: "oxygen",
        page: "compost",
        heading: "Compost",
        ownBox: ".md-search__input",
      },
      {
        name: "sphinx",
        link: "Winding",
        query: "pendulum",
        page: "repair",
        heading: "Repair",
        ownBox: "#searchbox input[name=q]",
      },
    ] as const
  )
    .filter(({ name }) => buildableSites().includes(name))
    .map(({ page: path, heading, ...rest }) => ({
      ...rest,
      basePath: "",
      start: "/",
      found: { path: new RegExp(`/${path}(?:/|\\.html)?$`), heading },
      places: ["folder"],
      files: () => buildSite(rest.name, () => undefined),
    })),
  {
    name: "plain",
    basePath: "",
    start: "/",
    link: "Jam",
    query: "モモ marmalade",
    found: { path: /^\/guide\/jam(?:\.html)?$/, heading: "Jam" },
    web: { strictPolicy: true },
    files: plainSite,
  },
];

const PLACES = ["folder", "image"];
const HOSTED = HOSTS.filter(({ place }) => PLACES.includes(place)).flatMap((host) =>
  SITES.filter(({ places = PLACES }) => places.includes(host.place)).map(
    (site) => [site.name, host.title, { site, host }] as const,
  ),
);

describe.runIf(existsSync(CHROMIUM)).each(HOSTED)(
  "the search of a site of %s, %s",
  (_, __, { site, host }) => {
    const endings: (() => unknown)[] = [];
    let url: string;
    let browser: Browser;
    let watched: WatchedPage;

    beforeAll(async () => {
      const context = { onTestFinished: (end: () => unknown) => void endings.push(end) } as Context;
      const { basePath, web } = site;
      const files = await site.files(context);
      url = await host.start(context, { files, basePath, offlineSearch: true, ...(web && { web }) });
      browser = await startBrowser();
      endings.push(() => browser.close());
    });
    afterAll(async () => {
      for (const end of endings.reverse()) await end();
    });
    afterEach(async () => {
      await watched.page.close();
      expect(watched.complaints).toEqual([]);
      expect(watched.requested.filter((address) => !address.startsWith(`${url}/`))).toEqual([]);
    });

    async function open(options: BrowserContextOptions = {}): Promise<Page> {
      watched = await openPage(browser, options);
      await watched.page.goto(url + site.start);
      await watched.page.waitForLoadState("networkidle");
      return watched.page;
    }
    const dialog = (on: Page) => on.locator("dialog.docs-hosting-search");
    const results = (on: Page) => dialog(on).getByRole("option");

    /** Types the words, and follows the first result. */
    async function search(on: Page): Promise<void> {
      await dialog(on).waitFor();
      await on.keyboard.type(site.query);
      await results(on).first().waitFor();
      await on.keyboard.press("Enter");
      await on.waitForURL((address) => site.found.path.test(address.pathname));
      // generators put a link beside it
      await expect
        .poll(() => on.locator("main h1, h1").first().textContent())
        .toMatch(new RegExp(`^\\s*${site.found.heading}`));
    }

    test("opens by a slash; the first result is the page", async () => {
      const on = await open();
      await on.keyboard.press("/");
      await search(on);
      expect(await on.title()).not.toBe("run");
    });

    test("opens by Ctrl-K and by its button after the site has changed the page itself", async () => {
      const on = await open();
      await on.getByRole("link", { name: site.link, exact: true }).first().click();
      await on.waitForLoadState("networkidle");
      await on.keyboard.press("Control+k");
      await dialog(on).waitFor();
      await on.keyboard.press("Escape");
      await expect
        .poll(() =>
          dialog(on)
            .count()
            .then((count) => count > 0 && dialog(on).isVisible()),
        )
        .toBe(false);
      await on.locator(".docs-hosting-search-button").click();
      await search(on);
    });

    test("gives the focus back when it is closed, and takes keys from no field of the site", async () => {
      const on = await open();
      const link = on.getByRole("link", { name: site.link, exact: true }).first();
      await link.focus();
      await on.keyboard.press("/");
      await dialog(on).waitFor();
      expect(await on.evaluate('document.activeElement?.getAttribute("role")')).toBe("combobox");
      await on.keyboard.press("Tab");
      expect(await on.evaluate('document.querySelector("dialog").contains(document.activeElement)')).toBe(
        true,
      );
      await on.keyboard.press("Escape");
      expect(await on.evaluate("document.activeElement?.textContent")).toBe(await link.textContent());
    });

    const { ownBox } = site;
    if (ownBox !== undefined) {
      test("opens from the site's own search box", async () => {
        const on = await open();
        await on.locator(ownBox).first().click();
        await search(on);
      });
    }

    test.each([
      ["wide and light", { viewport: { width: 1280, height: 800 } }],
      ["narrow and dark", { viewport: { width: 390, height: 780 }, colorScheme: "dark" }],
    ] as const)("is accessible, %s", async (appearance, options) => {
      const on = await open({ ...options, bypassCSP: true }); // the checker is a script of its own
      await on.keyboard.press("/");
      await dialog(on).waitFor();
      await on.keyboard.type(site.query);
      await results(on).first().waitFor();
      await takeScreenshot(on, `search-${site.name}-${host.place}-${appearance.replaceAll(" ", "-")}`);
      await on.evaluate(AXE);
      const violations = await on.evaluate(
        `axe.run("dialog").then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes[0].html))`,
      );
      expect(violations).toEqual([]);
      // nothing is cut off at its side
      expect(
        await on.evaluate(
          '(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector("dialog"))',
        ),
      ).toBe(0);
    });

    test("has a page of its own, which searches at once", async () => {
      const on = await open();
      await on.goto(`${url}${site.basePath}/docs-hosting-search/index.html`);
      await dialog(on).waitFor();
      // Enter opens what was typed, also before its results are shown
      await on.keyboard.insertText(site.query);
      await on.keyboard.press("Enter");
      await on.waitForURL((address) => site.found.path.test(address.pathname));
    });
  },
);
