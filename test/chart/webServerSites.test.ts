import { afterAll, beforeAll, describe, expect, test, type TestContext } from "vitest";
import { render, serving } from "./renderedChart.ts";
import { WebServer } from "./webServer.ts";

// Exports of site generators: how they name files, lay out pages, and where they expect to be served.

const NO_CACHE = "no-cache";
const FOR_EVER = "public, max-age=31536000, immutable";

/** Serves files, each with its name as its content. */
async function startWith(names: readonly string[], context: TestContext): Promise<WebServer> {
  const server = new WebServer();
  context.onTestFinished(() => server.remove());
  server.write(Object.fromEntries(names.map((name) => [name, name])));
  await server.start(await render(serving()));
  return server;
}

/** Names as the generators gave them to built files; below each the name of a file that is not named after its content. */
test.for<[string, string[], string[]]>([
  [
    "Next.js",
    [
      "_next/static/chunks/06aq38lyarlhm.js",
      "_next/static/chunks/turbopack-2u1d16houkiyo.js",
      "_next/static/chunks/3yn3-btbv2r6w.css",
      "_next/static/j2z_k3xFxdxP0lcUa2au0/_buildManifest.js",
      "_next/static/media/lamp.02cc-g44ckpq0.png",
    ],
    [
      ...["guide/__next._tree.txt", "guide.txt", "search-index.json", "_next/static.js"],
      "_next/static/v1/_buildManifest.js",
    ],
  ],
  [
    "Vite and VitePress",
    [
      "assets/index-W1erjkBN.css",
      "assets/index-BVCMXACy.js",
      "assets/index-BVCMXACy.js.map",
      "assets/logo-drp-_6Fd.png",
      "assets/app.DvhAWyN1.js",
      "assets/app.DkC3x9aB.js",
      "assets/chunks/framework.B1q8Oer0.js",
      "assets/index.md.-FmdXSU1.lean.js",
      "assets/inter-italic-latin-ext.CN1xVJS-.woff2",
      "assets/inter-roman-latin-ext.4ZJIpNVo.woff2",
      "assets/style.CwNnKCVM.css",
    ],
    [
      "hashmap.json",
      "vp-icons.css",
      "assets/jquery.validate.js",
      "assets/chart-DataGrid.js",
      "assets/shot-MyScreen.png",
      "assets/flow-ToDoList.png",
      "assets/setup-Win11Pro.png",
      "assets/table-LineChart.js",
      "assets/petstore-OpenAPI3.json",
      "assets/screenshot-Windows7.png",
      "assets/phone-iPhone15.png",
      "assets/map-New-York.svg",
      "assets/guide.Chapter2.pdf",
      "assets/notes-README01.txt",
      "assets/page-DvhAWyN1.html",
      "images/app.DvhAWyN1.js",
    ],
  ],
  [
    "Docusaurus",
    [
      "assets/js/main.210cdc51.js",
      "assets/js/runtime~main.35ff9eaf.js",
      "assets/js/17896441.03d7e990.js",
      "assets/js/489.3ca339da.js.LICENSE.txt",
      "assets/css/styles.9ec5dee0.css",
      "assets/images/kettle-0b3bde9e7c0a9d47cf4a2ee1ea31e41a.svg",
      "search-index-cee9bfce.json",
    ],
    ["sitemap.xml", "img/kettle.svg"],
  ],
  [
    "people",
    ["app.0a1b2c3d4e.css"],
    [
      "release.2024notes.html",
      "jquery.min.js",
      "app.controller.js",
      "jquery-3.7.1.min.js",
      "feed.feed2024.xml",
      "photo-20261121.png",
      "photo.2026112100.png",
      "menu.cafecafe.pdf",
      "upload-6b1f0c2e-4d5a-4f3b-9c8d-0a1b2c3d4e5f.png",
      "change-0a1b2c3d4e.html",
    ],
  ],
])(
  "names of %s: a file that is named after its content is cached without end, all others are revalidated",
  async ([, kept, asked], context) => {
    const server = await startWith([...kept, ...asked], context);
    const rules = async (names: readonly string[]) =>
      Promise.all(names.map(async (name) => [name, (await server.get(`/${name}`)).headers["cache-control"]]));
    expect(await rules(kept)).toEqual(kept.map((name) => [name, FOR_EVER]));
    expect(await rules(asked)).toEqual(asked.map((name) => [name, NO_CACHE]));
  },
);

describe("a site exported for /manual/v2", () => {
  const server = new WebServer();
  beforeAll(async () => {
    server.write({
      "index.html": "<h1>Start</h1>",
      "guide.html": "<h1>Guide</h1>",
      "404.html": "<h1>Not here</h1>",
      "folder/index.html": "<h1>Folder</h1>",
      "folder/.git/config": "hidden",
      "_next/static/chunks/1f0aaaaaaaaaa.js": "1",
    });
    await server.start(await render(serving({ web: { basePath: "/manual/v2" } })));
  });
  afterAll(() => server.remove());

  test.each([
    ["/", "/manual/v2/"],
    ["/manual/v2", "/manual/v2/"],
    ["/manual/v2/folder", "/manual/v2/folder/"],
    ["/manual/v2/guide/?q=1", "/manual/v2/guide?q=1"],
  ])("redirects %s to %s", async (path, location) => {
    const { status, headers } = await server.get(path);
    expect([301, 302]).toContain(status);
    expect(headers.location).toBe(location);
    expect(headers["cache-control"]).toBe(NO_CACHE);
  });

  test.each([
    ["/manual/v2/", "<h1>Start", NO_CACHE],
    ["/manual/v2/guide", "<h1>Guide", NO_CACHE],
    ["/manual/v2/folder/", "<h1>Folder", NO_CACHE],
    ["/manual/v2/_next/static/chunks/1f0aaaaaaaaaa.js", "1", FOR_EVER],
  ])("serves %s", async (path, start, cacheControl) => {
    const { status, headers, body } = await server.get(path);
    expect(status).toBe(200);
    expect(body.toString()).toContain(start);
    expect(headers["cache-control"]).toBe(cacheControl);
  });

  test.each([
    "/manual/v2/nothing",
    "/manual/v2/folder/.git/config",
    "/guide",
    "/index.html",
    "/manual/",
    "/manual/v22/guide",
  ])("answers %s with the export's own page and status 404", async (path) => {
    const { status, body } = await server.get(path);
    expect(status).toBe(404);
    expect(body.toString()).toBe("<h1>Not here</h1>");
  });

  test("answers probes at the same address", async () => {
    expect((await server.get("/-/healthz")).status).toBe(200);
  });
});

/** How generators lay out the pages `guide` and `guide/install`, and which of their addresses are served or redirected. */
test.for<[string, string[], [string, string][], [string, string][]]>([
  [
    "Next.js",
    ["guide.html", "guide.txt", "guide/__next._tree.txt", "guide/install.html"],
    [
      ["/guide", "guide.html"],
      ["/guide/install", "guide/install.html"],
      ["/guide.txt?_rsc=1", "guide.txt"],
      ["/guide/__next._tree.txt?_rsc=1", "guide/__next._tree.txt"],
    ],
    [
      ["/guide/", "/guide"],
      ["/guide/install/", "/guide/install"],
    ],
  ],
  [
    "Next.js with trailingSlash",
    ["guide/index.html", "guide/index.txt", "guide/install/index.html"],
    [
      ["/guide/", "guide/index.html"],
      ["/guide/index.txt?_rsc=1", "guide/index.txt"],
      ["/guide/install/", "guide/install/index.html"],
    ],
    [
      ["/guide", "/guide/"],
      ["/guide/install", "/guide/install/"],
    ],
  ],
  [
    "Docusaurus without trailingSlash",
    ["guide.html", "guide/install.html", "v1.2.html", "v1.2/new.html"],
    [
      ["/guide", "guide.html"],
      ["/guide/install", "guide/install.html"],
      ["/v1.2", "v1.2.html"],
      ["/v1.2/new", "v1.2/new.html"],
    ],
    [["/v1.2/", "/v1.2"]],
  ],
])("the pages of %s are served at their addresses", async ([, files, served, led], context) => {
  const server = await startWith(files, context);
  for (const [path, name] of served) {
    const { status, body } = await server.get(path);
    expect([path, status, body.toString()]).toEqual([path, 200, name]);
  }
  for (const [path, location] of led) expect((await server.get(path)).headers.location).toBe(location);
});

test("files are served with the types of their endings", async (context) => {
  const types = {
    "page.rsc": "text/x-component; charset=utf-8",
    "page.txt": "text/plain; charset=utf-8",
    "app.mjs": "text/javascript; charset=utf-8",
    "app.cjs": "text/javascript; charset=utf-8",
    "app.js.map": "application/json; charset=utf-8",
    "app.wasm": "application/wasm",
    "picture.avif": "image/avif",
    "app.webmanifest": "application/manifest+json; charset=utf-8",
    "map.geojson": "application/geo+json; charset=utf-8",
    "sitemap.xsl": "text/xml; charset=utf-8",
    "download.tar.gz": "application/gzip",
    "index.pagefind": "application/octet-stream",
  };
  const server = await startWith(Object.keys(types), context);
  const found = Object.keys(types).map(async (name) => [
    name,
    (await server.get(`/${name}`)).headers["content-type"],
  ]);
  expect(Object.fromEntries(await Promise.all(found))).toEqual(types);
});
