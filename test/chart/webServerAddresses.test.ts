import { describe, expect, test, type TestContext } from "vitest";
import { render, serving, type Values } from "./renderedChart.ts";
import { WebServer } from "./webServer.ts";

async function serve(
  context: TestContext,
  names: readonly string[],
  values: Values = {},
): Promise<WebServer> {
  const server = new WebServer();
  context.onTestFinished(() => server.remove());
  server.write(Object.fromEntries(names.map((name) => [name, name])));
  await server.start(await render(serving(values)));
  return server;
}

describe.each(["", "/docs"])("of a site below «%s»", (basePath) => {
  test("the nearest 404 page is shown", async (context) => {
    const pages = ["404.html", "fr/index.html", "fr/404.html", "2.0/de/404.html", "es/404/index.html"];
    const server = await serve(context, pages, { web: { basePath } });
    for (const [path, page] of [
      ["/nope", "404.html"],
      ["/fr/nope", "fr/404.html"],
      ["/fr/a/b/nope", "fr/404.html"],
      ["/fr/nope/", "fr/404.html"],
      ["/2.0/de/a/nope", "2.0/de/404.html"],
      ["/2.0/nope", "404.html"],
      ["/es/nope", "es/404/index.html"],
      ["/frnope", "404.html"],
    ] as const) {
      const { status, body } = await server.get(basePath + path);
      expect([path, status, body.toString()]).toEqual([path, 404, page]);
    }
  });
});

test("files that clients read as JSON have its media type, though no extension tells", async (context) => {
  const names = [
    "apple-app-site-association",
    ".well-known/apple-app-site-association",
    ".well-known/openid-configuration",
    ".well-known/matrix/client",
  ];
  const server = await serve(context, names);
  for (const name of names) {
    const { status, headers, body } = await server.get(`/${name}`);
    expect([name, status, headers["content-type"]]).toEqual([name, 200, "application/json; charset=utf-8"]);
    expect(body.toString()).toBe(name);
  }
  expect((await server.get("/.well-known/nodeinfo")).status).toBe(404);
});

test("cookies of single sign-on are accepted, up to 32 KB a line", async (context) => {
  const server = await serve(context, ["index.html"]);
  for (const size of [8 * 1024, 16 * 1024, 31 * 1024]) {
    expect((await server.get("/", { cookie: `session=${"x".repeat(size)}` })).status).toBe(200);
  }
  expect((await server.get("/", { cookie: `session=${"x".repeat(40_000)}` })).status).toBe(400);
});

test("without an export, the plain page is also where an Ingress sends requests to", async (context) => {
  const server = new WebServer();
  context.onTestFinished(() => server.remove());
  await server.start(await render({ web: { basePath: "/docs" } }));
  for (const path of ["/", "/docs", "/docs/"]) {
    const { status, body } = await server.get(path);
    expect([path, status]).toEqual([path, 200]);
    expect(body.toString()).toContain("No static export is served here");
  }
  expect((await server.get("/docs/nope")).status).toBe(404);
});
