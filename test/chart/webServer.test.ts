import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, type TestContext, vi } from "vitest";
import { render, serving, type Values } from "./renderedChart.ts";
import { WebServer } from "./webServer.ts";

const LONG = "<p>A sentence that can be compressed.</p>\n".repeat(100);

const FILES = {
  "index.html": `<h1>Start</h1>${LONG}`,
  "guide.html": "<h1>Guide</h1>",
  "404.html": "<h1>Not here</h1>",
  "folder/index.html": "<h1>Folder</h1>",
  "folder/page.html": "<h1>Page</h1>",
  "both.html": "<h1>Both, the page</h1>",
  "both/index.html": "<h1>Both, the folder</h1>",
  "bare/page.html": "<h1>In a folder without a start page</h1>",
  "a b ü.html": "<h1>Odd</h1>",
  ".hidden": "hidden",
  "folder/.git/config": "hidden",
  ".well-known/security.txt": "Contact: mailto:docs@example.com",
  ".well-known/.git/config": "hidden",
  "assets/site.0a1b2c3d4e.css": `body{color:black}${LONG}`,
  "assets/icon.0a1b2c3d4e.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
  "assets/logo.png": Buffer.from("89504e47", "hex"),
  "assets/report.2026112100.pdf": "%PDF",
  "assets/commit.0a1b2c3d4e.html": "<h1>A page</h1>",
  "assets/font.woff2": "wOF2",
};

const HTML = "text/html; charset=utf-8";
const NO_CACHE = "no-cache";
const FOR_EVER = "public, max-age=31536000, immutable";

/** Every other host is blocked; the site's own code runs, inline or not. */
const POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data: blob:; font-src 'self' data:; media-src 'self' data: blob:; connect-src 'self' data: blob:; " +
  "worker-src 'self' blob:; base-uri 'self'; form-action 'self'; frame-ancestors 'self'";
const STRICT_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; media-src 'self'; " +
  "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

describe("nginx with an export", () => {
  const server = new WebServer();
  beforeAll(async () => {
    server.write(FILES);
    // each worker would find the compressed files by itself, with other ETags
    await server.start(await render(serving({ web: { workerProcesses: 1 } })));
    await vi.waitUntil(() => server.hasCompressed(), { timeout: 20_000 });
  });
  afterAll(() => server.remove());

  test.each([
    ["/", "<h1>Start", HTML, NO_CACHE],
    ["/index.html", "<h1>Start", HTML, NO_CACHE],
    ["/guide.html", "<h1>Guide", HTML, NO_CACHE],
    ["/guide", "<h1>Guide", HTML, NO_CACHE],
    ["/guide?q=1", "<h1>Guide", HTML, NO_CACHE],
    ["/folder/", "<h1>Folder", HTML, NO_CACHE],
    ["/folder/index.html", "<h1>Folder", HTML, NO_CACHE],
    ["/folder/page", "<h1>Page", HTML, NO_CACHE],
    ["/both", "<h1>Both, the page", HTML, NO_CACHE],
    ["/both/", "<h1>Both, the folder", HTML, NO_CACHE],
    ["/a%20b%20%C3%BC", "<h1>Odd", HTML, NO_CACHE],
    ["//guide", "<h1>Guide", HTML, NO_CACHE],
    ["/folder/../guide", "<h1>Guide", HTML, NO_CACHE],
    ["/.well-known/security.txt", "Contact", "text/plain; charset=utf-8", NO_CACHE],
    ["/assets/logo.png", "PNG", "image/png", NO_CACHE],
    ["/assets/font.woff2", "wOF2", "font/woff2", NO_CACHE],
    ["/assets/site.0a1b2c3d4e.css", "body{", "text/css; charset=utf-8", FOR_EVER],
    ["/assets/icon.0a1b2c3d4e.svg", "<svg", "image/svg+xml; charset=utf-8", FOR_EVER],
    // a date, and pages
    ["/assets/report.2026112100.pdf", "%PDF", "application/pdf", NO_CACHE],
    ["/assets/commit.0a1b2c3d4e.html", "<h1>A page", HTML, NO_CACHE],
    ["/assets/commit.0a1b2c3d4e", "<h1>A page", HTML, NO_CACHE],
  ])("serves %s: «%s…», as %s, which browsers cache as «%s»", async (path, start, type, cacheControl) => {
    const { status, headers, body } = await server.get(path);
    expect(status).toBe(200);
    expect(body.toString()).toContain(start);
    expect(headers).toMatchObject({ "content-type": type, "cache-control": cacheControl });
  });

  test.each([
    ["/folder", "/folder/"],
    ["/folder?q=1&r=%20", "/folder/?q=1&r=%20"],
    ["/guide/", "/guide"],
    ["/guide/?q=1", "/guide?q=1"],
    ["/a%20b%20%C3%BC/", "/a%20b%20%C3%BC"],
  ])(
    "redirects %s to %s, where relative addresses are right, without a host or port",
    async (path, location) => {
      const { status, headers } = await server.get(path);
      expect([301, 302]).toContain(status);
      expect(headers.location).toBe(location);
      // a later version may have a page where this one has a folder
      expect(headers["cache-control"]).toBe(NO_CACHE);
    },
  );

  test.each([
    "/nothing",
    "/nothing/",
    "/folder/nothing",
    "/bare/",
    "/.hidden",
    "/folder/.git/config",
    "/.well-known/.git/config",
    "/.well-known/",
    "/%2ehidden",
    "/guide.htm",
    "/index.html/",
    "/assets/gone.0a1b2c3d4e.css",
  ])("answers %s with the export's own page and status 404", async (path) => {
    const { status, headers, body } = await server.get(path);
    expect(status).toBe(404);
    expect(body.toString()).toBe("<h1>Not here</h1>");
    expect(headers).toMatchObject({
      "content-type": HTML,
      "cache-control": NO_CACHE,
      "content-security-policy": POLICY,
    });
  });

  test.each(["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "/folder/..;/x"])(
    "does not leave its folder for %s",
    async (path) => {
      const { status, body } = await server.get(path);
      expect([400, 404]).toContain(status);
      expect(body.toString()).not.toContain("root:");
    },
  );

  test("copies no line of the request into a header", async () => {
    for (const path of [
      "/folder%0d%0aX-Evil:%20yes",
      "/guide%0d%0aX-Evil:%20yes/",
      "/guide/%0d%0aX-Evil:%20yes",
    ]) {
      expect((await server.get(path)).headers).not.toHaveProperty("x-evil");
    }
  });

  test.each(["/guide", "/assets/site.0a1b2c3d4e.css"])(
    "answers 304 for %s when the client has it",
    async (path) => {
      const { headers } = await server.get(path);
      const again = await server.get(path, { "if-none-match": headers.etag ?? "" });
      expect(again.status).toBe(304);
      expect(again.body).toHaveLength(0);
      expect(again.headers["cache-control"]).toBe(headers["cache-control"]);
      expect((await server.get(path, { "if-none-match": '"other"' })).status).toBe(200);
    },
  );

  test.each(["/", "/assets/site.0a1b2c3d4e.css"])(
    "compresses %s for clients that accept it",
    async (path) => {
      const packed = await server.get(path, { "accept-encoding": "gzip" });
      const plain = await server.get(path);
      expect(packed.headers["content-encoding"]).toBe("gzip");
      expect(packed.headers.vary).toBe("Accept-Encoding");
      expect(packed.body.length).toBeLessThan(plain.body.length / 5);
      expect(gunzipSync(packed.body)).toEqual(plain.body);
      expect(plain.headers).not.toHaveProperty("content-encoding");
      expect(plain.headers.vary).toBe("Accept-Encoding");
      expect(
        (await server.get(path, { "accept-encoding": "gzip", "if-none-match": packed.headers.etag ?? "" }))
          .status,
      ).toBe(304);
    },
  );

  test("compresses no picture and no font again", async () => {
    for (const path of ["/assets/logo.png", "/assets/font.woff2"]) {
      expect((await server.get(path, { "accept-encoding": "gzip" })).headers).not.toHaveProperty(
        "content-encoding",
      );
    }
  });

  test.each([
    ["a page", "/guide", "GET"],
    ["an asset", "/assets/site.0a1b2c3d4e.css", "GET"],
    ["a redirect", "/folder", "GET"],
    ["a wrong address", "/nothing", "GET"],
    ["a wrong method", "/guide", "DELETE"],
    ["the health page", "/-/healthz", "GET"],
    ["a bad request", "/%00", "GET"],
  ])("sends the same security headers with %s", async (_, path, method) => {
    const { headers } = await server.get(path, {}, method);
    expect(headers).toMatchObject({
      "content-security-policy": POLICY,
      "x-content-type-options": "nosniff",
      "x-frame-options": "SAMEORIGIN",
      "referrer-policy": "strict-origin-when-cross-origin",
    });
    expect(headers.server).toBe("nginx");
  });

  test("accepts only GET and HEAD", async () => {
    for (const method of ["POST", "PUT", "DELETE"]) {
      expect((await server.get("/guide", {}, method)).status).toBe(405);
    }
    const head = await server.get("/guide", {}, "HEAD");
    expect(head.status).toBe(200);
    expect(head.body).toHaveLength(0);
  });

  test("serves a range, for videos", async () => {
    const { status, body } = await server.get("/guide", { range: "bytes=4-8" });
    expect(status).toBe(206);
    expect(body.toString()).toBe("Guide");
  });

  test("logs requests, but not those of probes", async () => {
    await server.get("/guide?logged");
    await server.get("/-/healthz?not-logged");
    await expect.poll(() => server.output).toContain("GET /guide?logged");
    expect(server.output).not.toContain("not-logged");
    expect(server.output).not.toMatch(/\[(warn|emerg|alert|crit)\]/);
  });

  test("also listens on IPv6, where there is IPv6", () => {
    expect(server.listenConf).toBe(`listen ${server.port};\nlisten [::]:${server.port};\n`);
  });
});

describe("nginx otherwise", () => {
  async function start(
    context: TestContext,
    values: Values,
    files: Readonly<Record<string, string | Buffer>> = {},
    environment: Readonly<Record<string, string>> = {},
  ): Promise<WebServer> {
    const server = new WebServer();
    context.onTestFinished(() => server.remove());
    server.write({ "index.html": "<h1>Start</h1>", ...files });
    await server.start(await render(values), environment);
    return server;
  }

  test("serves only a plain page that says so without an export", async (context) => {
    const server = await start(context, {});
    const { status, body, headers } = await server.get("/");
    expect(status).toBe(200);
    expect(body.toString()).toContain("<code>staticExport.enabled</code> is <code>false</code>");
    expect(headers["content-security-policy"]).toBe(POLICY);
    expect((await server.get("/guide")).status).toBe(404);
  });

  test("has its own page for a wrong address when the export has none", async (context) => {
    const server = await start(context, serving());
    const { status, body, headers } = await server.get("/assets/gone.0a1b2c3d4e.css");
    expect(status).toBe(404);
    expect(body.toString()).toContain("<h1>Page not found</h1>");
    expect(headers).toMatchObject({ "cache-control": NO_CACHE, "content-type": HTML });
  });

  test("starts where there is no IPv6", async (context) => {
    const server = await start(context, serving(), {}, { IPV6_TABLE: "/nowhere" });
    expect(server.listenConf).toBe(`listen ${server.port};\n`);
    expect((await server.get("/")).status).toBe(200);
  });

  test.for(["SIGTERM", "SIGQUIT"] as const)(
    "finishes a running request after %s, accepts no new one, and exits successfully",
    async (signal, context) => {
      const files = { "large.bin": Buffer.alloc(30_000_000) };
      const server = await start(context, serving({ web: { accessLog: false } }), files);
      const reading = server.get("/large.bin");
      await new Promise((resolve) => setTimeout(resolve, 5));
      const exited = server.signal(signal);
      expect((await reading).body).toHaveLength(30_000_000);
      expect([0, 131, 143]).toContain(await exited);
      await expect(server.get("/")).rejects.toThrow("ECONNREFUSED");
      expect(server.output).not.toContain("GET");
    },
  );

  test("sends the headers, the policy and the cache rule of the values", async (context) => {
    const web = {
      contentSecurityPolicy: "default-src 'self'",
      headers: {
        "Strict-Transport-Security": "max-age=60",
        "X-Frame-Options": null,
        "Referrer-Policy": "",
        "Permissions-Policy": 'geolocation=(self "https://maps.example.com"), camera=()',
        "Reporting-Endpoints": 'csp="https://reports.example.com/csp"',
        "X-Path": String.raw`C:\new\"it's"\\ {}; #`,
      },
      immutablePattern: "^/_static/",
    };
    const server = await start(context, serving({ web }), { "_static/app.js": "1" });
    const { headers } = await server.get("/_static/app.js");
    expect(headers).toMatchObject({
      "content-security-policy": "default-src 'self'",
      "strict-transport-security": "max-age=60",
      "x-content-type-options": "nosniff",
      "cache-control": FOR_EVER,
      "permissions-policy": web.headers["Permissions-Policy"],
      "reporting-endpoints": web.headers["Reporting-Endpoints"],
      "x-path": web.headers["X-Path"],
    });
    for (const removed of ["x-frame-options", "referrer-policy"]) expect(headers).not.toHaveProperty(removed);
  });

  test.for([
    [{ strictPolicy: true }, STRICT_POLICY],
    [{ contentSecurityPolicy: "default-src 'self'" }, "default-src 'self'"],
  ] as const)("sends that policy with %o", async ([web, policy], context) => {
    const server = await start(context, serving({ web }));
    expect((await server.get("/")).headers["content-security-policy"]).toBe(policy);
  });
});
