// An image of a site on an nginx base, run as it is: it serves the site like the chart does with the same image.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { gunzipSync, gzipSync } from "node:zlib";
import { extract } from "tar";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LayerWriter } from "../../provider/publishing/images/siteImage/layer.ts";
import { PREVIOUS_ROOT } from "../../provider/publishing/images/siteImage/previousFiles.ts";
import { EMPTY_BASE } from "../../provider/publishing/images/siteImage/siteImage.ts";
import { MEDIA_TYPES } from "../../provider/publishing/inspection/mediaTypes.ts";
import { type ImageAlone, runImageAlone } from "./imageAlone.ts";
import { render, servingImage } from "./renderedChart.ts";
import { type Reply, WebServer } from "./webServer.ts";

const TEXT = "A sentence that can be compressed.\n".repeat(100);
const ENDINGS = MEDIA_TYPES.flatMap(({ endings }) => endings.split(" "));
const FILES: Readonly<Record<string, string | Buffer>> = {
  "index.html": `<h1>Start</h1>${TEXT}`,
  "guide.html": "<h1>Guide</h1>",
  "guide/install.html": "<h1>Install</h1>",
  "404.html": "<h1>Not here</h1>",
  "folder/index.html": "<h1>Folder</h1>",
  "bare/page.html": "<h1>In a folder without a start page</h1>",
  ".hidden": "hidden",
  ".well-known/security.txt": "Contact: mailto:docs@example.com",
  "assets/site.0a1b2c3d4e.css": `body{color:black}${TEXT}`,
  CNAME: "docs.example.com",
  ...Object.fromEntries(
    ENDINGS.map((ending) => [`types/a.${ending}`, ending === "svgz" ? gzipSync("<svg/>") : TEXT]),
  ),
};
/** As the layer below that of the site has them; the last two are not of its kind. */
const PREVIOUS: Readonly<Record<string, string>> = {
  "assets/before.5e4d3c2b1a.js": `run("before");${TEXT}`,
  "removed.html": "<h1>Removed</h1>",
  "removed.js": "removed",
};
const PATHS = [
  ...["/", "/index.html", "/guide", "/guide/", "/guide.html", "/guide/install", "/guide/install/", "/404"],
  ...[
    "/folder",
    "/folder/",
    "/bare",
    "/bare/",
    "/.hidden",
    "/.well-known/security.txt",
    "/CNAME",
    "/-/healthz",
  ],
  ...["/assets/site.0a1b2c3d4e.css", "/assets/none.0a1b2c3d4e.css", "/none", "/none.svgz", "/types/"],
  ...ENDINGS.map((ending) => `/types/a.${ending}`),
  ...["/assets/before.5e4d3c2b1a.js", "/removed", "/removed.html", "/removed.js"],
];

const folder = mkdtempSync(join(tmpdir(), "image-"));
const chart = new WebServer();
let image: ImageAlone;
let alone: WebServer;

beforeAll(async () => {
  const base = { ...EMPTY_BASE, config: { config: { ExposedPorts: { "4000/tcp": {} } } } };
  const scratch = join(folder, "scratch");
  mkdirSync(scratch);
  const writer = new LayerWriter(scratch, base, "a".repeat(64));
  for (const [path, content] of Object.entries(FILES)) {
    const bytes = Buffer.from(content);
    await writer.file({ path, size: bytes.length }, Readable.from([bytes]));
  }
  const { path } = await writer.end(new AbortController().signal);
  await extract({ file: path, cwd: folder, preservePaths: false });
  const site = join(folder, "usr/share/nginx/html");
  for (const [path, content] of Object.entries(PREVIOUS)) {
    const file = join(folder, PREVIOUS_ROOT, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  await chart.start(await render(servingImage("siteImage")), { IMAGE_SITE_FOLDER: site });
  image = await runImageAlone(folder);
  alone = image.server;
});

afterAll(async () => {
  await image.stop();
  await chart.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** What a reply says about the file. */
function shown({ status, headers, body }: Reply): object {
  const names = ["content-type", "content-encoding", "cache-control", "location", "vary", "content-length"];
  return {
    status,
    headers: Object.fromEntries(names.map((name) => [name, headers[name]])),
    body: body.toString("base64"),
  };
}

test.each([{}, { "accept-encoding": "gzip" }])(
  "serves each address as the chart does, to a browser with %j",
  async (headers) => {
    for (const path of PATHS) {
      const [one, other] = [await alone.get(path, headers), await chart.get(path, headers)];
      expect({ path, ...shown(one) }).toEqual({ path, ...shown(other) });
    }
  },
);

test("has clean addresses, its own page 404, types, and texts that are compressed once", async () => {
  expect((await alone.get("/guide")).body.toString()).toBe("<h1>Guide</h1>");
  expect((await alone.get("/none")).status).toBe(404);
  expect((await alone.get("/none")).body.toString()).toBe("<h1>Not here</h1>");
  const start = await alone.get("/", { "accept-encoding": "gzip" });
  expect(start.headers["content-length"]).toBe(String(start.body.length));
  expect(gunzipSync(start.body).toString()).toBe(FILES["index.html"]);
  for (const { type, endings, hasCharset, encoding } of MEDIA_TYPES) {
    for (const ending of endings.split(" ")) {
      const { headers } = await alone.get(`/types/a.${ending}`);
      expect([ending, headers["content-type"], headers["content-encoding"]]).toEqual([
        ending,
        hasCharset ? `${type}; charset=utf-8` : type,
        encoding,
      ]);
    }
  }
});

test("serves the files of the version before that are named after their content, for ever, and nothing else of it", async () => {
  for (const server of [alone, chart]) {
    const { status, body, headers } = await server.get("/assets/before.5e4d3c2b1a.js");
    expect([status, body.toString(), headers["cache-control"]]).toEqual([
      200,
      PREVIOUS["assets/before.5e4d3c2b1a.js"],
      "public, max-age=31536000, immutable",
    ]);
    for (const path of ["/removed", "/removed.html", "/removed.js", "/assets/none.5e4d3c2b1b.js"]) {
      expect((await server.get(path)).status).toBe(404);
    }
  }
});

test("also listens on IPv6 where there is any", () => {
  const script = readFileSync(join(folder, "docker-entrypoint.d/09-docs-hosting-ipv6.sh"), "utf8");
  expect(script).toContain("listen [::]:4000;");
  expect(script).toContain("/proc/net/if_inet6");
});
