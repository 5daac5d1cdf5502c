// What a browser sends again to ask whether a page changed: of a site in an image, whose files often have one time.
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test, type TestContext } from "vitest";
import { podTemplate, render, servingImage } from "./renderedChart.ts";
import { WebServer } from "./webServer.ts";

const TEXT = "<p>A sentence that can be compressed.</p>\n".repeat(300);
const GZIP = { "accept-encoding": "gzip" };
const MODES = ["siteImage", "volume"] as const;

/** A version of the site, in an image whose digest has this digit. All its files have one time, and the same size in each version. */
async function serve(
  context: TestContext,
  mode: (typeof MODES)[number],
  digit: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<WebServer> {
  const server = new WebServer();
  context.onTestFinished(() => server.remove());
  const image = `registry.example.com/docs/site@sha256:${digit.repeat(64)}`;
  const values = servingImage(mode);
  const own = mode === "siteImage" ? { siteImage: image } : { siteVolume: { image, featureGate: true } };
  const folder = join(server.root, "image/site");
  const page = `<h1>Version ${digit}</h1>${TEXT}`;
  const files = {
    "index.html": page,
    "index.html.gz": gzipSync(page),
    "guide/install.html": page,
    "404.html": page,
    "../previous/assets/app.0a1b2c3d4e.js": page,
  };
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    utimesSync(file, 315_532_801, 315_532_801);
  }
  await server.start(await render({ ...values, ...own }), { IMAGE_SITE_FOLDER: folder, ...environment });
  return server;
}

describe.each(MODES)("a page of a site in an image (%s)", (mode) => {
  test("is sent again when its content changes, also with the same time and size, and only then", async (context) => {
    const [before, after] = [await serve(context, mode, "a"), await serve(context, mode, "b")];
    for (const path of ["/", "/guide/install", "/assets/app.0a1b2c3d4e.js"]) {
      for (const accepted of [{}, GZIP]) {
        const { headers } = await before.get(path, accepted);
        expect(headers).not.toHaveProperty("last-modified");
        const known = { ...accepted, "if-none-match": `"other", ${headers.etag ?? ""}` };
        const same = await before.get(path, known);
        expect([same.status, same.body.length]).toEqual([304, 0]);
        for (const name of ["etag", "cache-control", "content-security-policy"]) {
          expect(same.headers[name]).toBe(headers[name]);
        }
        const { status, body } = await after.get(path, known);
        expect(status).toBe(200);
        expect(body.length).toBeGreaterThan(0);
      }
    }
    const since = { "if-modified-since": new Date(315_532_801_000).toUTCString() };
    expect((await after.get("/", since)).status).toBe(200);
  });

  test("has another ETag when it is compressed, and a page for a wrong address has none", async (context) => {
    const server = await serve(context, mode, "a");
    const plain = (await server.get("/")).headers.etag;
    expect(plain).toMatch(/^"[0-9a-f]{16}"$/);
    expect((await server.get("/", GZIP)).headers.etag).toBe(plain?.replace(/"$/, '-gzip"'));
    expect((await server.get("/guide/install", GZIP)).headers.etag).toBe(`W/${plain}`);
    expect((await server.get("/nothing")).headers).not.toHaveProperty("etag");
  });

  test("is continued only of the same image", async (context) => {
    const [before, after] = [await serve(context, mode, "a"), await serve(context, mode, "b")];
    const { etag = "" } = (await before.get("/")).headers;
    const rest = { range: "bytes=4-", "if-range": etag };
    expect((await before.get("/", rest)).status).toBe(206);
    expect((await after.get("/", rest)).status).toBe(200);
  });

  test("has no ETag where nothing identifies its content", async (context) => {
    const server = await serve(context, mode, "a", { CONTENT_ID: "" });
    expect((await server.get("/")).headers).not.toHaveProperty("etag");
    expect((await server.get("/", { "if-none-match": '""' })).status).toBe(200);
  });
});

test("the ETag is of the content that the pods are of", async () => {
  const { metadata, spec } = podTemplate(await render(servingImage("siteImage")));
  const value = metadata.annotations?.["docs-server/content"];
  expect(spec.containers[0]?.env).toContainEqual({ name: "CONTENT_ID", value });
});
