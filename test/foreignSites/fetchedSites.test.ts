// Copies of sites that load from other hosts, in a browser that reaches only the server of the copy: nothing is requested from others, and
// every pixel is that of the page online.
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import fetch from "node-fetch";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleCopy } from "../../provider/copies/bundleCopy/lifeCycle.ts";
import { mediaTypeOf } from "../../provider/publishing/inspection/mediaTypes.ts";
import { scratchFolder } from "../copies/images.ts";
import { localContext, packedSite } from "../simulation/packedSite.ts";
import { buildSite } from "./builtSite.ts";
import { openPage, startBrowser, takeScreenshot } from "./watchedPage.ts";

let browser: Browser;
let packages: string;
beforeAll(async () => {
  browser = await startBrowser();
  packages = await buildSite("cdn", () => undefined);
});
afterAll(() => browser.close());

interface Served {
  readonly address: string;
  readonly requested: string[];
  close(): Promise<void>;
}

/** Serves a folder, as a CDN does: to pages of every host. */
async function serve(folder: string): Promise<Served> {
  const requested: string[] = [];
  const server: Server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "", "http://x").pathname);
    requested.push(path);
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    const send = async (): Promise<void> => {
      if (!(await stat(file)).isFile()) throw new Error("no file");
      const type = mediaTypeOf(file)?.type ?? "application/octet-stream";
      const charset = /^text\/|javascript/.test(type) ? "; charset=utf-8" : "";
      response.writeHead(200, { "content-type": type + charset, "access-control-allow-origin": "*" });
      response.end(await readFile(file));
    };
    send().catch(() => response.writeHead(404, { "content-type": "text/html" }).end("<p>not found"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { address: `http://127.0.0.1:${port}`, requested, close };
}

const page = (head: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"><title>Page</title>${head}</head><body>${body}</body></html>`;

const KATEX = "katex@0.19.1/dist";
const HLJS = "@highlightjs/cdn-assets@11.12.0";
const ICONS = "bootstrap-icons@1.13.2";
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20" width="120" height="120"><circle cx="10" cy="10" r="9" fill="teal"/></svg>`;

interface LoadingSite {
  readonly name: string;
  /** The page that is looked at. @default index.html */
  readonly start?: string;
  readonly fetchExternal?: object | true;
  /** Shown once everything is there. */
  readonly ready: string;
  readonly files: (
    cdn: string,
    integrityOf: (path: string) => Promise<string>,
  ) => Promise<Record<string, string>> | Record<string, string>;
}

const SITES: readonly LoadingSite[] = [
  {
    name: "fonts with their style sheet",
    ready: "p",
    files: (cdn) => ({
      "index.html": page(
        `<link rel="preconnect" href="${cdn}" crossorigin><link rel="dns-prefetch" href="${cdn}">` +
          `<link rel="preload" as="font" type="font/woff2" crossorigin href="${cdn}/@fontsource/roboto@5.3.0/files/roboto-latin-400-normal.woff2">` +
          `<link rel="stylesheet" href="${cdn}/@fontsource/roboto@5.3.0/index.css"><style>body{font:40px Roboto}</style>`,
        "<p>Привет, Größe, handgloves</p>",
      ),
    }),
  },
  {
    name: "KaTeX",
    ready: ".katex-html",
    start: "guide/math.html",
    files: async (cdn, integrityOf) => ({
      "index.html": page("", "<p>start</p>"),
      "guide/math.html": page(
        `<link rel="stylesheet" href="${cdn}/${KATEX}/katex.min.css" integrity="${await integrityOf(`${KATEX}/katex.min.css`)}" crossorigin="anonymous">` +
          `<script defer src="${cdn}/${KATEX}/katex.min.js" integrity="${await integrityOf(`${KATEX}/katex.min.js`)}" crossorigin="anonymous"></script>` +
          `<script defer src="${cdn}/${KATEX}/contrib/auto-render.min.js" crossorigin="anonymous" onload="renderMathInElement(document.body)"></script>`,
        "<p>$$\\int_0^\\infty \\sqrt{\\frac{x^2}{\\sum_i \\mathcal{F}_i}}\\,dx = \\mathbb{R}$$</p>",
      ),
    }),
  },
  {
    name: "Mermaid as a module",
    ready: "pre.mermaid svg",
    files: (cdn) => ({
      "index.html": page(
        `<script type="module">import mermaid from "${cdn}/mermaid@12.3.0/dist/mermaid.esm.min.mjs"; mermaid.initialize({ startOnLoad: true, deterministicIds: true });</script>`,
        '<pre class="mermaid">flowchart LR\n  A[Export] --> B{Copy?} --> C[Site]</pre>',
      ),
    }),
  },
  {
    name: "highlight.js with a language",
    ready: ".hljs-keyword",
    files: (cdn) => ({
      "index.html": page(
        `<link rel="stylesheet" href="${cdn}/${HLJS}/styles/github-dark.min.css">` +
          `<script src="${cdn}/${HLJS}/highlight.min.js"></script><script src="${cdn}/${HLJS}/languages/haskell.min.js"></script>` +
          "<script>addEventListener('DOMContentLoaded', () => hljs.highlightAll())</script>",
        '<pre><code class="language-haskell">module Main where\nmain = let x = 1 in print x</code></pre>',
      ),
    }),
  },
  {
    name: "images, icons and a font of icons",
    ready: "img.shown",
    files: (cdn) => ({
      "style.css": `@import url("${cdn}/${ICONS}/font/bootstrap-icons.min.css"); body { background: #eee url(${cdn}/${ICONS}/icons/flower1.svg) }`,
      "picture.svg": SVG.replace(
        "<circle",
        `<image href="${cdn}/${ICONS}/icons/alarm.svg" width="9" height="9"/><circle opacity=".4"`,
      ),
      "index.html": page(
        '<link rel="stylesheet" href="style.css">',
        `<picture><source srcset="${cdn}/${ICONS}/icons/bug.svg 1x, ${cdn}/${ICONS}/icons/bell.svg 2x"><img class="shown" width="99" alt="" src="${cdn}/${ICONS}/icons/book.svg"></picture>` +
          `<object data="picture.svg" type="image/svg+xml"></object><i class="bi bi-alarm" style="font-size: 60px"></i><div style="width:80px;height:80px;background:url('${cdn}/${ICONS}/icons/cloud.svg')"></div>` +
          `<table background="${cdn}/${ICONS}/icons/star.svg"><tr><td>cell</table><video width="90" poster="${cdn}/${ICONS}/icons/sun.svg"></video>`,
      ),
    }),
  },
  {
    name: "modules with an import map",
    ready: "main h1",
    files: (cdn) => ({
      "app/own.js":
        'import { h, render } from "preact"; import { useState } from "preact/hooks"; render(h("h1", null, `preact ${typeof useState}`), document.querySelector("main"));',
      "index.html": page(
        `<script type="importmap">{"imports":{"preact":"${cdn}/preact@11.2.0/dist/preact.mjs","preact/":"${cdn}/preact@11.2.0/"}}</script>`,
        '<main></main><script type="module" src="app/own.js"></script>',
      )
        .replace('"preact/":', '"preact/hooks":')
        .replace('preact@11.2.0/"}', 'preact@11.2.0/hooks/dist/hooks.mjs"}'),
    }),
  },
  {
    name: "a module that a script imports later",
    ready: "b",
    files: (cdn) => ({
      "index.html": page(
        `<script type="module">const { html, render } = await import("${cdn}/lit-html@3.3.3/lit-html.js"); render(html\`<b>later</b>\`, document.body.appendChild(document.createElement("div")));</script>`,
        "<p>lit</p>",
      ),
    }),
  },
  {
    name: "a frame, a page within the page, a base and a policy",
    ready: "iframe",
    start: "guide/frames.html",
    fetchExternal: { include: ["**"] },
    files: (cdn) => ({
      "index.html": page("", "<p>start</p>"),
      "guide/frames.html": page(
        `<meta http-equiv="Content-Security-Policy" content="default-src 'self' data:; img-src ${cdn}; style-src ${cdn} 'unsafe-inline'; font-src ${cdn}; frame-src ${cdn} 'self'; child-src ${cdn} 'self'">` +
          `<base href="../"><link rel="stylesheet" href="${cdn}/${ICONS}/font/bootstrap-icons.min.css">`,
        `<i class="bi bi-alarm"></i><iframe width="300" height="200" src="${cdn}/${ICONS}/icons/flower3.svg"></iframe>` +
          `<iframe width="200" height="100" srcdoc="&lt;img alt='' width='80' src='${cdn}/${ICONS}/icons/apple.svg'&gt;"></iframe>`,
      ),
    }),
  },
];

test.for(SITES)(
  "$name",
  async ({ name, files, ready, start = "index.html", fetchExternal = true }, context) => {
    const folder = await scratchFolder(context);
    const cdn = await serve(packages);
    context.onTestFinished(() => cdn.close());
    const integrityOf = async (path: string): Promise<string> =>
      `sha384-${createHash("sha384")
        .update(await readFile(join(packages, path)))
        .digest("base64")}`;
    const site = await files(cdn.address, integrityOf);
    const { file, fileSha256 } = packedSite(folder, "site", site);
    for (const [path, text] of Object.entries(site)) {
      mkdirSync(join(folder, "online", path, ".."), { recursive: true });
      writeFileSync(join(folder, "online", path), text);
    }

    // an SVG file may be a document of its own
    const shown = async (
      address: string,
      allowed: readonly string[],
    ): Promise<{ pixels: Buffer; others: string[]; complaints: string[] }> => {
      const watched = await openPage(browser);
      try {
        await watched.page.goto(`${address}/${start}`, { waitUntil: "networkidle" });
        await watched.page.locator(ready).first().waitFor({ state: "attached" });
        await watched.page.evaluate("document.fonts.ready");
        const others = watched.requested.filter(
          (each) => !/^(?:data|about|blob):/.test(each) && !allowed.some((own) => each.startsWith(own)),
        );
        await takeScreenshot(watched.page, `${name} ${allowed.length}`);
        return {
          pixels: await watched.page.screenshot({ animations: "disabled" }),
          others,
          complaints: watched.complaints.filter((each) => !each.startsWith("image/svg+xml")),
        };
      } finally {
        await watched.page.close();
      }
    };
    const online = await serve(join(folder, "online"));
    context.onTestFinished(() => online.close());
    const before = await shown(online.address, [online.address, cdn.address]);
    expect(before.complaints).toEqual([]);

    const environment = localContext(folder, { fetch });
    const { inputs, failures } = bundleCopy.check(
      {
        source: { file, version: "v1", fileSha256 },
        destination: { folder: join(folder, "copies"), layout: "site" },
        fetchExternal,
        requireSelfContained: true,
      },
      environment.configuration,
    );
    expect(failures).toEqual([]);
    const { outputs } = await bundleCopy.create(environment, inputs);
    expect(outputs.externalLoads).toEqual([]);
    await cdn.close();

    const copy = await serve(join(folder, "copies/current"));
    context.onTestFinished(() => copy.close());
    const after = await shown(copy.address, [copy.address]);
    console.log(
      `${name}: ${outputs.fetchedAssets?.length ?? 0} files fetched; requests to others: ${after.others.length}; pixels ${after.pixels.equals(before.pixels) ? "equal" : "differ"}`,
    );
    expect(after.others).toEqual([]);
    expect(after.complaints).toEqual([]);
    expect(after.pixels.equals(before.pixels)).toBe(true);
  },
);
