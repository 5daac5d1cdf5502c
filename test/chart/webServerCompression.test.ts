import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, type TestContext, vi } from "vitest";
import { findCommand } from "../programs/commands.ts";
import { shortened } from "../suites.ts";
import { type System, SYSTEMS } from "./fetchRun.ts";
import { CHART, render, serving } from "./renderedChart.ts";
import { wasCompressedBefore, WebServer } from "./webServer.ts";

/** Each worker notices within a second that a file exists now. */
const ONE_WORKER = { web: { workerProcesses: 1 } };
const GZIP = { "accept-encoding": "gzip" };
const TEXT = "<p>A sentence that can be compressed.</p>\n".repeat(300);
const PACKED_AT = new Date("2024-05-06T07:08:09Z");

const FILES = {
  "index.html": `<h1>Start</h1>${TEXT}`,
  "404.html": `<h1>Not here</h1>${TEXT}`,
  "guide/install.html": `<h1>Install</h1>${TEXT}`,
  "a b ü'$(id).html": `<h1>Odd</h1>${TEXT}`,
  "assets/site.css": `body{}${TEXT}`,
  "short.txt": "x".repeat(512),
  "noise.wasm": randomBytes(5_000),
  "picture.png": TEXT,
  "tool.tar.gz": "a file of the site's own",
};

/** Programs before the others on PATH, removed with the test. They may write to their own folder. */
function programs(
  scripts: Readonly<Record<string, string>>,
  context: TestContext,
): { PATH: string; PROGRAMS: string } {
  const folder = mkdtempSync(join(tmpdir(), "programs-"));
  context.onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return { PATH: `${folder}:${process.env["PATH"] ?? ""}`, PROGRAMS: folder };
}

const REAL_GZIP = `exec ${findCommand("gzip") ?? ""} "$@"`;

async function serve(
  context: TestContext,
  files: Readonly<Record<string, string | Buffer>> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<WebServer> {
  const server = new WebServer();
  context.onTestFinished(() => server.remove());
  writeSite(server, { ...FILES, ...files });
  await server.start(await render(serving(ONE_WORKER)), environment);
  return server;
}

function writeSite(server: WebServer, files: Readonly<Record<string, string | Buffer>>): void {
  server.write(files);
  for (const name of Object.keys(files)) utimesSync(join(server.site, "active", name), PACKED_AT, PACKED_AT);
}

const isReplaced = (server: WebServer) => existsSync(join(server.site, "compressed"));

/** At some time, on a busy machine. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(isTrue, { timeout: 20_000 });
}

/** Until nginx has checked its open files again. */
function compressed(server: WebServer, path = "/"): Promise<void> {
  return until(() => server.hasCompressed(path));
}

describe.each(shortened(SYSTEMS))("with %s, texts are compressed once", (system) => {
  const server = new WebServer();
  const folder = mkdtempSync(join(tmpdir(), "busybox-"));
  beforeAll(async () => {
    writeSite(server, FILES);
    await server.start(await render(serving(ONE_WORKER)), systemPath(system, folder));
    await compressed(server);
  });
  afterAll(async () => {
    await server.remove();
    rmSync(folder, { recursive: true });
  });

  test.each([
    ["/", "index.html", "text/html; charset=utf-8"],
    ["/guide/install", "guide/install.html", "text/html; charset=utf-8"],
    [`/${encodeURIComponent("a b ü'$(id)")}`, "a b ü'$(id).html", "text/html; charset=utf-8"],
    ["/assets/site.css", "assets/site.css", "text/css; charset=utf-8"],
  ] as const)("%s, with the same content, type and time", async (path, name, type) => {
    const packed = await server.get(path, GZIP);
    const plain = await server.get(path);
    expect(wasCompressedBefore(packed)).toBe(true);
    expect(gunzipSync(packed.body).toString()).toBe(FILES[name]);
    expect(plain.body.toString()).toBe(FILES[name]);
    expect(plain.headers).not.toHaveProperty("content-encoding");
    for (const { headers } of [packed, plain]) {
      expect(headers).toMatchObject({
        "content-type": type,
        vary: "Accept-Encoding",
        "last-modified": PACKED_AT.toUTCString(),
      });
    }
    const known = { ...GZIP, "if-none-match": packed.headers.etag ?? "" };
    expect((await server.get(path, known)).status).toBe(304);
    expect(packed.headers.etag).not.toBe(plain.headers.etag);
  });

  test("also the page for wrong addresses, which keeps its status", async () => {
    const reply = await server.get("/nothing", GZIP);
    expect(reply.status).toBe(404);
    expect(wasCompressedBefore(reply)).toBe(true);
    expect(gunzipSync(reply.body).toString()).toBe(FILES["404.html"]);
  });

  test("but nothing that is short, does not get smaller, or is no text", () => {
    const names = readdirSync(join(server.site, "compressed"), { recursive: true, encoding: "utf8" });
    expect(names.filter((name) => name.endsWith(".gz")).sort()).toEqual(
      [
        "404.html.gz",
        "a b ü'$(id).html.gz",
        "assets/site.css.gz",
        "guide/install.html.gz",
        "index.html.gz",
        "tool.tar.gz",
      ].sort(),
    );
  });

  test("under unused names, while the site's own files keep theirs", async () => {
    expect((await server.get("/index.html.gz")).status).toBe(404);
    const own = await server.get("/tool.tar.gz", GZIP);
    expect(own.body.toString()).toBe(FILES["tool.tar.gz"]);
    expect(own.headers).not.toHaveProperty("content-encoding");
  });

  test("without a copy of uncompressed files, and without leftovers", () => {
    const inode = (tree: string) => statSync(join(server.site, tree, "picture.png")).ino;
    expect(inode("compressed")).toBe(inode("active"));
    expect(readdirSync(server.site).sort()).toEqual(["active", "compressed"]);
    expect(server.output).not.toMatch(/compress|rm:|gzip:|stat:/);
  });

  test("with the same bytes and time in every pod", async (context) => {
    const other = await serve(context, {}, systemPath(system, mkdtempSync(join(folder, "other-"))));
    await compressed(other);
    const [here, there] = [server, other].map(({ site }) => join(site, "compressed/index.html.gz"));
    expect(readFileSync(here ?? "")).toEqual(readFileSync(there ?? ""));
    expect(statSync(here ?? "").mtimeMs).toBe(statSync(there ?? "").mtimeMs);
  });

  test("and not again by a container that is restarted in the pod", async () => {
    const tree = statSync(join(server.site, "compressed")).ino;
    await server.signal("SIGTERM");
    await server.start(await render(serving(ONE_WORKER)), systemPath(system, folder));
    expect(await server.hasCompressed()).toBe(true);
    expect(statSync(join(server.site, "compressed")).ino).toBe(tree);
  });
});

/** For the start script and its children. */
function systemPath(system: System, folder: string): { PATH: string } {
  if (system !== "busybox") return { PATH: process.env["PATH"] ?? "" };
  mkdirSync(folder, { recursive: true });
  execFileSync("busybox", ["--install", "-s", folder]);
  const nginx = join(folder, "nginx");
  if (!existsSync(nginx)) symlinkSync(findCommand("nginx") ?? "", nginx);
  return { PATH: folder };
}

describe.concurrent("compression once", () => {
  test("serves readers as without it while it runs, and uses the files once all are complete", async (context) => {
    const gzip = `until [ -e "$PROGRAMS/go" ]; do sleep 0.02; done; ${REAL_GZIP}`;
    const path = programs({ gzip }, context);
    const server = await serve(context, {}, path);
    const before = await server.get("/", GZIP);
    expect(before.headers["content-encoding"]).toBe("gzip");
    expect(wasCompressedBefore(before)).toBe(false);
    expect(isReplaced(server)).toBe(false);
    writeFileSync(join(path.PROGRAMS, "go"), "");
    while (!(await server.hasCompressed())) {
      const { status, body } = await server.get("/assets/site.css", GZIP);
      expect(status).toBe(200);
      expect(gunzipSync(body).toString()).toBe(FILES["assets/site.css"]);
    }
    expect(server.output).not.toContain("[error]");
  });

  test.for([
    ["gzip", "echo trouble >&2; exit 1", "compressing them once"],
    ["cp", "echo trouble >&2; exit 1", "linking them"],
    ["mkdir", '[ "$1" = -p ] && exec /bin/mkdir "$@"; exit 1', "making a folder"],
  ] as const)(
    "that fails at %s is reported in one line, and nothing is lost",
    async ([name, script, step], context) => {
      const server = await serve(context, {}, programs({ [name]: script }, context));
      await until(() => server.output.includes(`because ${step} failed`));
      const reply = await server.get("/", GZIP);
      expect(gunzipSync(reply.body).toString()).toBe(FILES["index.html"]);
      expect(readdirSync(server.site)).toEqual(["active"]);
      expect(server.output.split("\n").filter((line) => !line.includes(" HTTP/1.1"))).toEqual([
        `Text files are still compressed for each request, because ${step} failed: is the node's disk full?`,
        "",
      ]);
    },
  );

  test("ends at once with the container, and leaves no partial file", async (context) => {
    const server = await serve(context, {}, programs({ gzip: "exec sleep 600" }, context));
    await until(() => existsSync(join(server.site, "compressed.draft/names")));
    expect(await server.signal("SIGTERM")).toBe(0);
    expect(readdirSync(server.site)).toEqual(["active"]);
  });

  test("starts again after an interruption, and for another site", async (context) => {
    const server = new WebServer();
    context.onTestFinished(() => server.remove());
    writeSite(server, FILES);
    for (const tree of ["compressed", "compressed.draft/site"]) {
      mkdirSync(join(server.site, tree), { recursive: true });
      for (const name of ["index.html", "index.html.gz", "old.html"]) {
        writeFileSync(join(server.site, tree, name), "of another site");
      }
    }
    await server.start(await render(serving(ONE_WORKER)));
    expect((await server.get("/")).body.toString()).toBe(FILES["index.html"]);
    await compressed(server);
    expect((await server.get("/old")).status).toBe(404);
    expect(readdirSync(server.site).sort()).toEqual(["active", "compressed"]);
  });

  test("is skipped for a site with its own compressed files, which are served unchanged", async (context) => {
    const server = await serve(context, { "assets/site.css.gz": "not the style sheet at all" });
    const sheet = await server.get("/assets/site.css", GZIP);
    expect(gunzipSync(sheet.body).toString()).toBe(FILES["assets/site.css"]);
    expect((await server.get("/assets/site.css.gz", GZIP)).body.toString()).toBe(
      "not the style sheet at all",
    );
    expect(readdirSync(server.site)).toEqual(["active"]);
  });

  test("is skipped with an nginx that could not serve it", async (context) => {
    const nginx = findCommand("nginx") ?? "";
    const path = programs({ nginx: `[ "$1" = -V ] || exec ${nginx} "$@"` }, context);
    const server = await serve(context, {}, path);
    expect(gunzipSync((await server.get("/", GZIP)).body).toString()).toBe(FILES["index.html"]);
    expect(readdirSync(server.site)).toEqual(["active"]);
  });

  test("works below a path", async (context) => {
    const server = new WebServer();
    context.onTestFinished(() => server.remove());
    writeSite(server, FILES);
    await server.start(await render(serving({ web: { ...ONE_WORKER.web, basePath: "/manual/v2" } })));
    await compressed(server, "/manual/v2/");
    expect((await server.get("/manual/v2/tool.tar.gz")).body.toString()).toBe(FILES["tool.tar.gz"]);
  });

  test("includes the files that nginx would compress, and no others", async () => {
    const conf = await readFile(join(CHART, "files/nginx.conf"), "utf8");
    const script = await readFile(join(CHART, "files/compress.sh"), "utf8");
    const block = /^ {2}types \{(.*?)\}/ms.exec(conf)?.[1] ?? "";
    const gzipTypes = new Set(["text/html", ...wordsIn(/gzip_types ([^;]*);/.exec(conf)?.[1])]);
    const endings = block.split(";").flatMap((line) => {
      const [type = "", ...more] = wordsIn(line);
      return gzipTypes.delete(type) ? more : [];
    });
    expect([...gzipTypes]).toEqual([]);
    expect(wordsIn(/for ending in ([^;]*);/.exec(script)?.[1]).sort()).toEqual(endings.sort());
  });
});

function wordsIn(text = ""): string[] {
  return text.split(/[\s\\]+/).filter((word) => word !== "");
}
