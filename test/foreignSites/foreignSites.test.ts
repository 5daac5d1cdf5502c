import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { shortened } from "../suites.ts";
import { buildSite, type SiteName } from "./builtSite.ts";
import { type Context, HOSTS } from "./hosts.ts";
import { CHROMIUM, openPage, startBrowser, takeScreenshot, type WatchedPage } from "./watchedPage.ts";

const hasChromium = existsSync(CHROMIUM);
if (!hasChromium) console.log(`foreign sites: skipped, there is no Chromium at ${CHROMIUM} (set CHROMIUM)`);

interface ForeignSite {
  name: SiteName;
  title: string;
  /** Path that it was exported for. */
  basePath: string;
  /** The target of a link of the start page. */
  link: { text: string; path: string; heading: string };
  /** A page that is opened by its address. */
  deep: { path: string; heading: string };
  /** Something on a page that only a script can show. */
  control: { page: string; role: "button" | "tab"; name: string; shows: string };
  search: { page: string; query: string; found: string; path: string; heading: string };
  notFound: string;
}

const SITES: ForeignSite[] = [
  {
    name: "nextjs",
    title: "a Next.js export",
    basePath: "",
    link: { text: "Guide", path: "/guide", heading: "Guide" },
    deep: { path: "/guide/install", heading: "Installing" },
    control: { page: "/", role: "button", name: "The lamp is off", shows: "The lamp is on" },
    search: {
      page: "/guide/search",
      query: "ceiling",
      found: "Installing",
      path: "/guide/install",
      heading: "Installing",
    },
    notFound: "No such page in the lamp manual",
  },
  {
    name: "docusaurus",
    title: "a Docusaurus build, exported for /handbook/",
    basePath: "/handbook",
    link: { text: "First steps", path: "/handbook/docs/intro", heading: "First steps" },
    deep: { path: "/handbook/docs/descaling/", heading: "Descaling" },
    control: { page: "/handbook/docs/descaling/", role: "tab", name: "Soft water", shows: "Every year." },
    search: {
      page: "/handbook/docs/intro/",
      query: "vinegar",
      found: "Limescale",
      path: "/handbook/docs/descaling",
      heading: "Descaling",
    },
    notFound: "Page Not Found",
  },
];

const HOSTED = HOSTS.flatMap((host) =>
  shortened(SITES)
    .filter(({ basePath }) => basePath === "" || host.atRootOnly !== true)
    .map((foreign) => [foreign.title, host.title, { foreign, host }] as const),
);

describe.runIf(hasChromium).each(HOSTED)("%s, %s", (_, __, { foreign, host }) => {
  const endings: (() => unknown)[] = [];
  const start = `${foreign.basePath}/`;
  let url: string;
  let browser: Browser;
  let watched: WatchedPage;

  beforeAll(async () => {
    const files = await buildSite(foreign.name, () => undefined);
    const context = { onTestFinished: (end: () => unknown) => void endings.push(end) } as Context;
    url = await host.start(context, { files, basePath: foreign.basePath });
    browser = await startBrowser();
    endings.push(() => browser.close());
  });
  afterAll(async () => {
    for (const end of endings.reverse()) await end();
  });

  beforeEach(async () => {
    watched = await openPage(browser);
  });

  afterEach(async () => {
    await watched.page.close();
    expect(watched.complaints).toEqual([]);
    expect(watched.requested.filter((address) => !address.startsWith(`${url}/`))).toEqual([]);
  });

  const heading = () => watched.page.locator("main h1, h1").first().textContent();

  const isAt = (path: string) => (address: URL) =>
    address.pathname === path || (host.addsSlash === true && address.pathname === `${path}/`);

  /** Whether the site's scripts have started: from then on they handle links. */
  const isAlive = () => watched.page.waitForLoadState("networkidle");

  test("opens from the address of the server, follows links without page loads, and goes back", async () => {
    const { page, loaded } = watched;
    const response = await page.goto(host.leadsToStart ? `${url}/` : url + start);
    expect(response?.status()).toBe(200);
    expect(new URL(page.url()).pathname).toBe(start);
    await isAlive();
    await takeScreenshot(page, `${foreign.name}-${host.place}-start`);
    const loadedFirst = [...loaded];

    await page.getByRole("link", { name: foreign.link.text, exact: true }).first().click();
    await page.waitForURL(isAt(foreign.link.path));
    await expect.poll(heading).toBe(foreign.link.heading);
    await isAlive();
    await page.goBack();
    await page.waitForURL(isAt(start));
    await expect.poll(heading).not.toBe(foreign.link.heading);
    expect(loaded).toEqual(loadedFirst);
  });

  test("opens a deep link, and reloads it", async () => {
    const { page } = watched;
    expect((await page.goto(url + foreign.deep.path))?.status()).toBe(200);
    expect(await heading()).toBe(foreign.deep.heading);
    await isAlive();
    expect((await page.reload())?.status()).toBe(200);
    await isAlive();
    expect(await heading()).toBe(foreign.deep.heading);
    expect(new URL(page.url())).toSatisfy(isAt(foreign.deep.path));
    await takeScreenshot(page, `${foreign.name}-${host.place}-deep-link`);
  });

  test("reacts to clicks", async () => {
    const { page } = watched;
    const { control } = foreign;
    await page.goto(url + control.page);
    await isAlive();
    expect(await page.getByText(control.shows).isVisible()).toBe(false);
    await page.getByRole(control.role, { name: control.name }).click();
    await page.getByText(control.shows).waitFor();
  });

  test("is searched by its own search box, and a result opens without a page load", async () => {
    const { page, loaded } = watched;
    await page.goto(url + foreign.search.page);
    await isAlive();
    const box = page.getByRole("searchbox").or(page.getByPlaceholder("Search")).first();
    await box.click();
    await box.pressSequentially(foreign.search.query);
    const found = page.getByText(foreign.search.found).last();
    await found.waitFor();
    await takeScreenshot(page, `${foreign.name}-${host.place}-search`);
    await found.click();
    await page.waitForURL(isAt(foreign.search.path));
    await expect.poll(heading).toBe(foreign.search.heading);
    expect(loaded).toHaveLength(1);
  });

  test("shows its own page for a wrong address, with status 404", async () => {
    const { page, complaints } = watched;
    const address = `${url}${start}no-such-page`;
    expect((await page.goto(address))?.status()).toBe(404);
    await isAlive();
    expect(await page.locator("h1").first().textContent()).toBe(foreign.notFound);
    await takeScreenshot(page, `${foreign.name}-${host.place}-wrong-address`);
    // the address itself, as reported by browser and console
    const expected = [`404 ${address}`, expect.stringContaining("status of 404") as string];
    expect(complaints).toEqual(expected);
    complaints.length = 0;
  });
});
