// Sites of generators as they are: wherever they are hosted, no link is dead that works in the original, and the pages are shown.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BundleRefusedError } from "../../provider/base/runtime/messages/errors.ts";
import { scratchFolder } from "../copies/images.ts";
import { accepted, followed } from "../copies/packedSite.ts";
import { runCommand } from "../programs/commands.ts";
import { buildableSites, buildSite, type SiteName } from "./builtSite.ts";
import { type Context, HOSTS, serveAsBuilt } from "./hosts.ts";
import { cleanAddresses, crawl, pagesOf } from "./links.ts";
import { CHROMIUM, openPage, startBrowser, takeScreenshot } from "./watchedPage.ts";

const hasChromium = existsSync(CHROMIUM);

interface ShownPage {
  /** The address of its file. */
  readonly path: string;
  /** Other addresses that hosts have for it. */
  readonly others?: readonly string[];
  /** The text of an element of it, which a script may write. */
  readonly element: string;
  readonly text: RegExp;
}

interface RealSite {
  readonly name: SiteName;
  readonly title: string;
  /** The archive of it is refused so, and accepted after what the remedy says. */
  readonly isRefused?: RegExp;
  readonly shown: readonly ShownPage[];
  /** A link on a page, and the page that it leads to. */
  readonly followed: { from: string; text: string; to: string; heading: RegExp };
}

const SITES: RealSite[] = [
  {
    name: "yard",
    title: "pages of YARD, with relative links below folders of a page's name",
    shown: [
      { path: "/", element: "#filecontents h1", text: /YARD: Yay! A Ruby Documentation Tool/ },
      { path: "/YARD.html", others: ["/YARD", "/YARD/"], element: "h1", text: /Module: YARD/ },
      { path: "/YARD/CLI.html", others: ["/YARD/CLI", "/YARD/CLI/"], element: "h1", text: /YARD::CLI/ },
    ],
    followed: { from: "/YARD/CLI/", text: "Command", to: "/YARD/CLI/Command.html", heading: /CLI::Command/ },
  },
  {
    name: "doxygen",
    title: "pages of Doxygen in XHTML, some of whose names differ in case only",
    isRefused: /has no index\.html, .* only «index\.xhtml»/,
    shown: [
      { path: "/", element: ".contents", text: /When the water rises/ },
      { path: "/classtide_1_1Turn.xhtml", element: ".contents", text: /The turn of a tide/ },
      { path: "/classtide_1_1turn.xhtml", element: ".contents", text: /A turn as older programs name it/ },
    ],
    followed: {
      from: "/index.xhtml",
      text: "tide::Turn",
      to: "/classtide_1_1Turn.xhtml",
      heading: /tide::Turn Class/,
    },
  },
  {
    name: "mike",
    title: "versions of mike, one of them a symbolic link",
    isRefused: /is a symbolic link/,
    shown: [
      { path: "/v1.1/", element: "h1", text: /Bread/ },
      { path: "/stable/proving/", others: ["/stable/proving"], element: "h1", text: /Proving/ },
    ],
    followed: { from: "/", text: "baking", to: "/stable/baking/", heading: /Baking/ },
  },
  {
    name: "symbols",
    title: "pages and data with names like those of Swift DocC",
    shown: [
      ["drawText(_:at:)", /^func drawText/],
      ["drawtext(_:at:)", /^func drawtext/],
      ["Canvas", /^struct Canvas/],
      ["canvas", /^static let canvas/],
      ["Gr%C3%B6%C3%9Fe+Farbe", /größe/],
    ].map(([name, text]) => ({
      path: `/documentation/canvas/${String(name)}/`,
      others: [`/documentation/canvas/${String(name)}`],
      element: "#declaration",
      text: text as RegExp,
    })),
    followed: {
      from: "/documentation/canvas/",
      text: "init(_:)-4k2b9",
      to: "/documentation/canvas/init(_:)-4k2b9/",
      heading: /init\(_:\)-4k2b9/,
    },
  },
];

const BUILDABLE = buildableSites();
const PLACES = ["chart", "bucket", "image alone"];

describe.each(SITES.filter(({ name }) => BUILDABLE.includes(name)))("$title", (site) => {
  const endings: (() => unknown)[] = [];
  const context = { onTestFinished: (end: () => unknown) => void endings.push(end) } as Context;
  let archive: string;
  let pages: readonly string[];
  let original: { dead: ReadonlyMap<string, string>; complaints: readonly string[] };
  let browser: Browser;

  beforeAll(async () => {
    const folder = await scratchFolder(context);
    const files = join(folder, "site");
    await runCommand("cp", ["-a", await buildSite(site.name, () => undefined), files]);
    archive = join(folder, "site.tar.gz");
    await runCommand("tar", ["-czf", archive, "-C", files, "."]);
    if (site.isRefused) {
      const refusal: unknown = await accepted(archive).catch((error: unknown) => error);
      if (!(refusal instanceof BundleRefusedError)) throw new Error("the archive is not refused");
      expect(refusal.message).toMatch(site.isRefused);
      archive = await followed(refusal.remedy, files, folder);
    }
    const url = await serveAsBuilt(context, files);
    pages = pagesOf(files);
    const { missing, dead, targets } = await crawl(url, pages);
    expect(missing).toEqual([]);
    expect(targets).toBeGreaterThan(pages.length);
    original = { dead, complaints: [] };
    if (!hasChromium) return;
    browser = await startBrowser();
    endings.push(() => browser.close());
    original = { dead, complaints: await complaintsOf(url, ({ path }) => [path]) };
  });
  afterAll(async () => {
    for (const end of endings.reverse()) await end();
  });

  /** What the browser complains of, without the host. */
  async function complaintsOf(host: string, addresses: (page: ShownPage) => string[]): Promise<string[]> {
    const { page, complaints } = await openPage(browser);
    // a browser asks for it by itself, once for each host
    await page.route("**/favicon.ico", (route) => route.fulfill({ contentType: "image/x-icon", body: "" }));
    for (const shown of site.shown) {
      for (const address of addresses(shown)) {
        await page.goto(host + address);
        await page.locator(shown.element, { hasText: shown.text }).first().waitFor();
        await page.waitForLoadState("networkidle");
      }
    }
    await page.close();
    return complaints.map((complaint) => complaint.replaceAll(host, ""));
  }

  describe.each(HOSTS.filter(({ place }) => PLACES.includes(place)))("$title", (host) => {
    let url: string;

    beforeAll(async () => {
      url = await host.start(context, { files: "", archive, basePath: "" });
    });

    test("has all pages, at clean addresses too, and no dead link that the original has not", async () => {
      const { missing, dead } = await crawl(url, [...pages, ...cleanAddresses(pages)]);
      expect(missing).toEqual([]);
      expect([...dead].filter(([target]) => !original.dead.has(target))).toEqual([]);
    });

    test.runIf(hasChromium)(
      "shows its pages, and complains of nothing that the original does not",
      async () => {
        const found = await complaintsOf(url, ({ path, others = [] }) => [path, ...others]);
        expect(found.filter((complaint) => !original.complaints.includes(complaint))).toEqual([]);
      },
    );

    test.runIf(hasChromium)("leads from page to page", async () => {
      const { from, text, to, heading } = site.followed;
      const { page } = await openPage(browser);
      await page.goto(url + from);
      await page.getByRole("link", { name: text, exact: true }).first().click();
      await page.waitForURL((address) => decodeURIComponent(address.pathname) === to);
      await expect
        .poll(() => page.locator("h1, .title").allTextContents())
        .toContainEqual(expect.stringMatching(heading));
      await takeScreenshot(page, `${site.name}-${host.place.replace(" ", "-")}`);
      await page.close();
    });
  });
});
