// A site in an image: the image has compressed texts, and nothing in it is writable.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test, type TestContext } from "vitest";
import { render, servingImage, type Values } from "./renderedChart.ts";
import { wasCompressedBefore, WebServer } from "./webServer.ts";

const TEXT = "<p>A sentence that can be compressed.</p>\n".repeat(300);
const GZIP = { "accept-encoding": "gzip" };

async function serve(
  context: TestContext,
  files: Readonly<Record<string, string | Buffer>>,
  more: Values = {},
): Promise<WebServer> {
  const server = new WebServer();
  context.onTestFinished(() => server.remove());
  const folder = join(server.root, "image");
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  chmodSync(folder, 0o555);
  await server.start(await render(servingImage("siteImage", more)), { IMAGE_SITE_FOLDER: folder });
  return server;
}

const SITE = {
  "index.html": `<h1>Start</h1>${TEXT}`,
  "index.html.gz": gzipSync(`<h1>Start</h1>${TEXT}`),
  "guide/install.html": `<h1>Install</h1>${TEXT}`,
};

test("is served with the compressed texts of the image; others are compressed for each reader", async (context) => {
  const server = await serve(context, SITE);
  const start = await server.get("/", GZIP);
  expect(wasCompressedBefore(start)).toBe(true);
  expect(gunzipSync(start.body).toString()).toBe(SITE["index.html"]);
  expect((await server.get("/")).body.toString()).toBe(SITE["index.html"]);
  const guide = await server.get("/guide/install", GZIP);
  expect(wasCompressedBefore(guide)).toBe(false);
  expect(gunzipSync(guide.body).toString()).toBe(SITE["guide/install.html"]);
  expect(server.output).not.toMatch(/\[(?:warn|error|emerg|alert)\]/);
});

test("is served below a path", async (context) => {
  const server = await serve(context, SITE, { web: { basePath: "/manual" } });
  expect((await server.get("/")).headers["location"]).toBe("/manual/");
  expect((await server.get("/manual/guide/install")).body.toString()).toBe(SITE["guide/install.html"]);
  expect((await server.get("/guide/install")).status).toBe(404);
});

test("makes the pod fail before it is ready when it is missing", async (context) => {
  await expect(serve(context, { "guide/index.html": TEXT })).rejects.toThrow(
    /The image has no site: there is no \S+\/image\/index\.html in it\./,
  );
});
