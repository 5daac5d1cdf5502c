// The search box where readers meet it: policies of servers, colours of sites, keyboards and input methods.
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PublishedSite, publishedSite } from "../unit/publishing/offlineSearch/publishedSite.ts";
import { CHROMIUM, openPage, startBrowser, takeScreenshot } from "./watchedPage.ts";

const NONCE = "bm9uY2U=";
/** Content security policies under which the search works, and that of a page. */
const POLICIES: Readonly<Record<string, string>> = {
  "own files only": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'",
  "Trusted Types": "script-src 'self'; require-trusted-types-for 'script'",
  "Trusted Types with the name of the policy":
    "script-src 'self'; require-trusted-types-for 'script'; trusted-types docs-hosting-search",
  "a nonce": `script-src 'nonce-${NONCE}'; style-src 'nonce-${NONCE}'`,
  "a nonce and strict-dynamic": `script-src 'nonce-${NONCE}' 'strict-dynamic'; style-src 'self' 'unsafe-inline'`,
  "a nonce, strict-dynamic and Trusted Types": `script-src 'nonce-${NONCE}' 'strict-dynamic'; require-trusted-types-for 'script'`,
};

/** The last of {@link ALL}: the search can name no script under it. */
const OTHER_NAMES = "script-src 'self'; require-trusted-types-for 'script'; trusted-types others";
const ALL = [...Object.values(POLICIES), OTHER_NAMES];

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A page of more than 1 MB: each of its sections has a word of its own behind what results can quote. */
const LONG_SECTIONS = 1_500;
const LONG_PAGE = Array.from({ length: LONG_SECTIONS }, (_, at) => {
  const filler = `Kettles and pots of part ${at % 40} are cleaned with care. `.repeat(12);
  return `<h2 id="part-${at}">Part ${at}</h2><p>${filler} marker${at}q near gear${at % 7}w.</p>`;
}).join("");

/** How a page gets its background, and whether it is dark. */
const COLOURS: readonly (readonly [style: string, theme: "dark" | "light"])[] = [
  ["body { background: rgb(20 20 20) }", "dark"],
  ["body { background: oklch(0.2 0.02 260) }", "dark"],
  ["body { background: oklch(0.97 0.01 260) }", "light"],
  ["body { background: lab(10% 0 0) }", "dark"],
  ["body { background: lab(95% 0 0) }", "light"],
  ["body { background: color-mix(in oklab, black 85%, white) }", "dark"],
  ["body { background: color(display-p3 0.95 0.95 0.95) }", "light"],
  [":root { color-scheme: dark }", "dark"],
  [":root { color-scheme: dark } body { background: light-dark(white, #111) }", "dark"],
  ["body { background: light-dark(white, #111) }", "light"],
  ["body { background: white } main { background: #111; color: white; min-height: 100vh }", "dark"],
  ["body { background: linear-gradient(#111, #222); color: white; min-height: 100vh }", "dark"],
  ["body { background: #111 } main { background: white; min-height: 100vh }", "light"],
];

const DARK = "@media (prefers-color-scheme: dark) { body { background: #111; color: #eee } }";

const page = (title: string, style: string, script = ""): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"><style nonce="${NONCE}">${style}</style><title>${title}</title></head><body>${script}<main><h1>${title}</h1><p>Boil the marmalade.</p><input class="own-box"></main></body></html>`;

describe.runIf(existsSync(CHROMIUM))("the search box", () => {
  let site: PublishedSite;
  let server: Server;
  let url: string;
  let browser: Browser;

  beforeAll(async () => {
    const withNonce = `<script nonce="${NONCE}">1</script>`;
    const pages: Record<string, string> = {
      "index.html": page("Jam", DARK, withNonce),
      "small.html": page("Small", "html { font-size: 62.5% }"),
      "cluster/overview.html": page("Overview", "p { margin: 1px }").replace("Boil", "Cluster overview"),
      "bucket/overview.html": page("Overview", "p { margin: 2px }").replace("Boil", "Bucket overview"),
      "german.html": page("Marmelade", "").replace('lang="en"', 'lang="de"'),
    };
    pages["long.html"] = page("Long", "").replace("<p>Boil the marmalade.</p>", LONG_PAGE);
    pages["arabic.html"] = page("مربى", DARK)
      .replace('lang="en"', 'lang="ar" dir="rtl"')
      .replace("Boil the marmalade.", "اغلِ المربى في القدر");
    for (const [number, [style]] of COLOURS.entries()) {
      pages[`colour-${number}.html`] = page(`C${number}`, style);
    }
    site = await publishedSite(pages, { openFrom: [".own-box"] });
    server = createServer((request, response) => {
      const [, policy = "0", path = ""] = /^\/(\d+)\/(.*)$/.exec(request.url ?? "") ?? [];
      const file = site.files.get(path === "" ? "index.html" : path);
      const type = path.endsWith(".js")
        ? "text/javascript"
        : path.endsWith(".css")
          ? "text/css"
          : "text/html";
      response.setHeader("content-type", type);
      const header = ALL[Number(policy) - 1];
      if (header !== undefined) response.setHeader("content-security-policy", header);
      response.writeHead(file ? 200 : 404).end(file);
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  const box = (on: Page) => on.locator("dialog.docs-hosting-search");
  const open = async (path: string): Promise<Page> => {
    const { page: on } = await openPage(browser);
    await on.goto(`${url}/${path}`);
    await on.locator(".docs-hosting-search-button").waitFor();
    return on;
  };

  test.for(Object.keys(POLICIES).map((name, at) => [name, at + 1] as const))(
    "opens and finds under a policy with %s",
    async ([, number]) => {
      const on = await open(`${number}/`);
      await on.locator(".docs-hosting-search-button").click();
      await box(on).locator("input").waitFor();
      await on.keyboard.type("marmalade");
      await on.getByRole("option").first().waitFor();
      await on.close();
    },
  );

  test.for(COLOURS.map(([style, theme], at) => [style, theme, at] as const))(
    "on a page with %s is %s",
    async ([, theme, at]) => {
      const on = await open(`0/colour-${at}.html`);
      await on.keyboard.press("/");
      await box(on).waitFor();
      expect(await box(on).getAttribute("data-theme")).toBe(theme);
      await takeScreenshot(on, `search-colour-${at}`);
      await on.close();
    },
  );

  test.for([
    ["Russian", "л"],
    ["Greek", "κ"],
    ["Hebrew", "ל"],
    ["Arabic", "ن"],
    ["Armenian", "կ"],
    ["Georgian", "კ"],
    ["Latin", "k"],
  ])("opens by Ctrl-K on a %s keyboard", async ([, key]) => {
    const on = await open("0/");
    await on.evaluate(
      `document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "${key}", code: "KeyK", ctrlKey: true, bubbles: true }))`,
    );
    await box(on).waitFor();
    await on.close();
  });

  test.for(["t", "č"])("does not open by %s at the place of K", async (key) => {
    const on = await open("0/");
    await on.evaluate(
      `document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "${key}", code: "KeyK", ctrlKey: true, bubbles: true }))`,
    );
    expect(await box(on).count()).toBe(0);
    await on.close();
  });

  test.for(["isComposing: true", "keyCode: 229"])(
    "stays on the page when Enter ends a conversion, which an input method reports as %s",
    async (report) => {
      const on = await open("0/");
      await on.keyboard.press("/");
      await box(on).waitFor();
      await on.keyboard.type("marmalade");
      await on.getByRole("option").first().waitFor();
      await on.evaluate("addEventListener('keydown', () => document.title = 'reached the site')");
      for (const key of ["ArrowDown", "Enter"]) {
        await on.evaluate(
          `document.querySelector("dialog input").dispatchEvent(new KeyboardEvent("keydown", { key: "${key}", ${report}, bubbles: true, cancelable: true }))`,
        );
      }
      expect(await on.getByRole("option").first().getAttribute("aria-selected")).toBe("true");
      expect([await on.title(), await box(on).isVisible()]).toEqual(["Jam", true]);
      await on.close();
    },
  );

  test("searches for what an input method has written into the site's own box", async () => {
    const on = await open("0/");
    await on.evaluate(`(() => {
      const own = document.querySelector(".own-box");
      own.focus();
      own.value = "marmalade";
      own.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true }));
      own.dispatchEvent(new CompositionEvent("compositionend", { data: "marmalade", bubbles: true }));
    })()`);
    await on.getByRole("option").first().waitFor();
    expect(await box(on).locator("input").inputValue()).toBe("marmalade");
    await on.close();
  });

  test("has the reader's font size, not that of a site with 62.5 %", async () => {
    const on = await open("0/small.html");
    await on.keyboard.press("/");
    await box(on).waitFor();
    await on.keyboard.type("marmalade");
    await on.getByRole("option").first().waitFor();
    const sizes = await on.evaluate<number[]>(
      `["input", "[role=option] b", "p"].map((part) => parseFloat(getComputedStyle(document.querySelector("dialog " + part)).fontSize))`,
    );
    expect(sizes).toEqual([18, 15, 13]);
    await takeScreenshot(on, "search-small");
    await on.close();
  });

  test("tells pages with the same title apart by their paths", async () => {
    const on = await open("0/");
    await on.keyboard.press("/");
    await box(on).waitFor();
    await on.keyboard.type("overview");
    await on.getByRole("option").first().waitFor();
    expect((await on.locator("dialog small").allTextContents()).sort()).toEqual([
      "bucket/overview",
      "cluster/overview",
    ]);
    await takeScreenshot(on, "search-equal-titles");
    await on.close();
  });

  test("and its button are in the language of the page", async () => {
    const on = await open("0/german.html");
    const button = on.locator(".docs-hosting-search-button");
    expect(await button.getAttribute("aria-label")).toBe("Diese Kopie durchsuchen");
    await button.click();
    await box(on).waitFor();
    expect(await box(on).getAttribute("aria-label")).toBe("Suche");
    await on.close();
  });

  test("is not offered under a policy that allows Trusted Types of other names only", async () => {
    const { page: on } = await openPage(browser);
    await on.goto(`${url}/${ALL.length}/`);
    await on.waitForLoadState("networkidle");
    expect(await on.locator(".docs-hosting-search-button").count()).toBe(0);
    await on.keyboard.press("/");
    await on.locator(".own-box").focus();
    await on.keyboard.type("jam");
    expect(await on.locator(".own-box").inputValue()).toBe("jam"); // the site's own box works
    expect(await box(on).count()).toBe(0);
    await on.close();
  });

  test.for([0, 1, 399, 400, 777, LONG_SECTIONS - 1])(
    "leads to section %i of a page of 1 MB, whose word is behind what results can quote",
    async (at) => {
      const on = await open("0/");
      await on.keyboard.press("/");
      await box(on).waitFor();
      await on.keyboard.type(`marker${at}q`);
      await on.getByRole("option").first().waitFor();
      await on.keyboard.press("Enter");
      await on.waitForURL(`**/long.html#part-${at}`);
      const top = await on.evaluate<number>(
        `document.getElementById("part-${at}").getBoundingClientRect().top`,
      );
      expect(top).toBeLessThan(800);
      await on.close();
    },
  );

  /** Opens the box on a page, and types a word that is found. */
  const asked = async (path: string, word: string, options: BrowserContextOptions): Promise<Page> => {
    const { page: on } = await openPage(browser, options);
    await on.goto(`${url}/0/${path}`);
    await on.locator(".docs-hosting-search-button").waitFor();
    await on.keyboard.press("/");
    await box(on).waitFor();
    await on.keyboard.insertText(word);
    await on.getByRole("option").first().waitFor();
    return on;
  };
  const SCHEMES = ["light", "dark"] as const;
  /** 200 % zoom is half of the pixels for a page. */
  const ZOOMED = { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 };
  const VIEWS: readonly (readonly [name: string, path: string, word: string, BrowserContextOptions])[] = [
    ["as usual", "", "marmalade", {}],
    ["from right to left", "arabic.html", "المربى", {}],
    ["at 200 % zoom", "", "overview", ZOOMED],
    ["at 200 % zoom from right to left", "arabic.html", "المربى", ZOOMED],
    ["on a phone", "", "overview", { viewport: { width: 320, height: 600 } }],
  ];

  test.for(VIEWS.flatMap((view) => SCHEMES.map((scheme) => [...view, scheme] as const)))(
    "is accessible and within the window %s, %s %s",
    async ([name, path, word, options, colorScheme]) => {
      const on = await asked(path, word, { ...options, colorScheme });
      await on.evaluate(AXE);
      const violations = await on.evaluate(
        "axe.run('dialog').then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))",
      );
      expect(violations).toEqual([]);
      expect(await box(on).getAttribute("data-theme")).toBe(colorScheme);
      const direction = await on.evaluate("getComputedStyle(document.querySelector('dialog')).direction");
      expect(direction).toBe(path === "arabic.html" ? "rtl" : "ltr");
      const { width, height } = on.viewportSize() ?? { width: 0, height: 0 };
      for (const part of [box(on), box(on).locator("input"), on.getByRole("option").first()]) {
        const { x, y, ...size } = (await part.boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
        expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
        expect(x + size.width).toBeLessThanOrEqual(width);
        expect(y).toBeLessThan(height);
      }
      await takeScreenshot(on, `search-${name.replaceAll(/\W+/g, "-")}-${colorScheme}`);
      await on.close();
    },
  );

  test("moves nothing for readers who want less motion", async () => {
    const on = await asked("", "marmalade", { reducedMotion: "reduce" });
    const moving = await on.evaluate<number>(
      "document.getAnimations().filter(({ effect }) => effect.getComputedTiming().duration > 0).length",
    );
    const lasting = await on.evaluate<string[]>(
      "[...document.querySelectorAll('dialog, dialog *, .docs-hosting-search-button')].map((part) => getComputedStyle(part)).flatMap(({ animationDuration, transitionDuration }) => [animationDuration, transitionDuration]).filter((duration) => parseFloat(duration) > 0)",
    );
    expect([moving, lasting]).toEqual([0, []]);
    await on.close();
  });
});
