import { createCipheriv, createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gunzipSync, gzipSync } from "node:zlib";
import { list, type ReadEntry } from "tar";
import { expect, onTestFinished, test } from "vitest";
import { LayerWriter } from "../../../../../provider/publishing/images/siteImage/layer.ts";
import type { Layer } from "../../../../../provider/publishing/images/siteImage/layerTar.ts";
import { EMPTY_BASE } from "../../../../../provider/publishing/images/siteImage/siteImage.ts";

const CHART_FILES = join(import.meta.dirname, "../../../../../examples/self-hosted/chart/files");
const TEXT = "text ".repeat(200);

/** Of the archive. */
const SHA256 = "0000010".padEnd(64, "0");
/** The created file: sixteen seconds after the earliest. */
const TIME_MS = Date.UTC(1980, 0, 1, 0, 0, 16);

test("a layer has the site's files in their order, folders before their contents, all of the superuser, and with the archive's own time", async () => {
  const { entries } = await layerOf({ "b/c/page.html": "x", "a.bin": TEXT, "b/d.html": "y" });
  expect(entries.map(({ path }) => path)).toEqual([
    "site/",
    "site/b/",
    "site/b/c/",
    "site/b/c/page.html",
    "site/a.bin",
    "site/b/d.html",
  ]);
  for (const { uid, gid, mode, mtime, type } of entries) {
    expect({ uid, gid, mtime: mtime?.getTime() }).toEqual({ uid: 0, gid: 0, mtime: TIME_MS });
    expect(mode).toBe(type === "Directory" ? 0o755 : 0o644);
  }
});

test("digests and size are those of the bytes, and the same files give the same", async () => {
  const files = { "index.html": TEXT, "ä/ü.html": TEXT };
  const { layer, bytes } = await layerOf(files);
  const sha256 = (content: Buffer): string => `sha256:${createHash("sha256").update(content).digest("hex")}`;
  expect(layer.digest).toBe(sha256(bytes));
  expect(layer.diffId).toBe(sha256(gunzipSync(bytes)));
  expect(layer.size).toBe(bytes.length);
  expect([...bytes.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
  const again = await layerOf(files);
  expect({ ...again.layer, path: "" }).toEqual({ ...layer, path: "" });
});

test("content that does not get smaller is stored, whatever its pieces are; texts are compressed as gzip does", async () => {
  const noise = createCipheriv("aes-128-ctr", Buffer.alloc(16), Buffer.alloc(16)).update(
    Buffer.alloc(2_500_000),
  );
  const zeros = Buffer.alloc(2_000_000);
  const layer = async (name: string, pieceBytes: number, film = noise): Promise<Buffer> => {
    const writer = new LayerWriter(await folder(), undefined, SHA256);
    const content = { "a.html": Buffer.from(TEXT), [name]: film, "b.html": Buffer.from(TEXT) };
    for (const [path, bytes] of Object.entries(content)) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) =>
        bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
      );
      await writer.file({ path, size: bytes.length }, Readable.from(pieces));
    }
    const { path, diffId } = await writer.end(new AbortController().signal);
    const packed = await readFile(path);
    expect(diffId).toBe(`sha256:${createHash("sha256").update(gunzipSync(packed)).digest("hex")}`);
    return packed;
  };
  const byGzip = (packed: Buffer): Buffer => {
    const again = gzipSync(gunzipSync(packed));
    again[9] = 255; // no system
    return again;
  };
  const film = await layer("film.webm", 100_000);
  expect(film.indexOf(noise.subarray(5_000, 6_000))).toBeGreaterThan(0);
  expect(film.length).toBeLessThan(noise.length + 1_500);
  expect(film.equals(await layer("film.webm", 70_001))).toBe(true);
  const half = await layer("film.webm", 100_000, Buffer.concat([noise.subarray(0, 1 << 20), zeros]));
  expect(half.length).toBeLessThan((1 << 20) + 5_000);
  for (const [name, bytes] of [
    ["film.html", noise],
    ["zeros.webm", zeros],
    ["small.webm", noise.subarray(0, 131_071)],
  ] as const) {
    const packed = await layer(name, 100_000, bytes);
    expect(packed.equals(byGzip(packed))).toBe(true);
  }
});

test("compressed texts follow, once all files are written: no small ones, none that get larger, and none in place of the site's own", async () => {
  const { entries, contents } = await layerOf({
    "page.html": TEXT,
    "own.css": TEXT,
    "small.js": "x".repeat(512),
    "noise.svg": [...Array(600).keys()]
      .map((at) => createHash("sha256").update(`${at}`).digest("binary"))
      .join("")
      .slice(0, 600),
    "image.png": TEXT,
    "own.css.gz": "the site's own",
  });
  const paths = entries.map(({ path }) => path);
  expect(paths.filter((path) => path.endsWith(".gz"))).toEqual(["site/own.css.gz", "site/page.html.gz"]);
  expect(gunzipSync(contents["site/page.html.gz"] ?? Buffer.alloc(0)).toString()).toBe(TEXT);
  expect(contents["site/own.css.gz"]?.toString()).toBe("the site's own");
});

test("a text is what the chart's compress.sh treats as one", async () => {
  const script = await readFile(join(CHART_FILES, "compress.sh"), "utf8");
  const [, written = ""] = /^for ending in ((?:.|\\\n)*); do$/m.exec(script) ?? [];
  const endings = written.split(/[\s\\]+/);
  expect(endings).toContain("html");
  const others = ["png", "tgz", "gz", "svgz", "xhtm", "jsx", "qjs", "yl", "otff", "x.html.old"];
  const names = (each: readonly string[]): string[] => each.map((ending) => `page.${ending}`);
  const files = [...names(endings), ...names(others), "html", "pagexhtml"].map((name) => [name, TEXT]);
  const { entries } = await layerOf(Object.fromEntries(files) as Record<string, string>);
  const compressed = entries.map(({ path }) => path).filter((path) => path.endsWith(".gz"));
  expect(compressed.filter((path) => path !== "site/page.gz").sort()).toEqual(
    endings.map((ending) => `site/page.${ending}.gz`).sort(),
  );
});

test("long names and those in other scripts are whole", async () => {
  const long = `${"folder/".repeat(30)}${"name".repeat(30)}.html`;
  const { contents } = await layerOf({ [long]: "long", "説明/ページ.html": "other", "99.html": "9" });
  expect(contents[`site/${long}`]?.toString()).toBe("long");
  expect(contents["site/説明/ページ.html"]?.toString()).toBe("other");
});

/** Without their folders: those of the base keep their owners. */
const SERVER = ["etc/nginx/conf.d/default.conf", "docker-entrypoint.d/09-docs-hosting-ipv6.sh"];

test("on a base, existing files of its folder are hidden, and its web server is configured; an empty site has its folder", async () => {
  const { entries } = await layerOf({}, true);
  const root = "usr/share/nginx/html/";
  const folders = ["usr/", "usr/share/", "usr/share/nginx/", root];
  expect(entries.map(({ path }) => path)).toEqual([...folders, `${root}.wh..wh..opq`, ...SERVER]);
  expect((await layerOf({})).entries.map(({ path }) => path)).toEqual(["site/"]);
  const several = await layerOf({ "a.html": "a", "b.html": "" }, true);
  expect(several.entries.map(({ path }) => path)).toEqual([
    ...[...folders, `${root}.wh..wh..opq`, `${root}a.html`, `${root}b.html`, ...SERVER],
  ]);
});

test.each([".wh.index.html", "a/.wh..wh..opq", ".wh.a/b.html"])(
  "%s would remove files of the image: it is refused",
  async (path) => {
    await expect(layerOf({ [path]: "" })).rejects.toMatchObject({
      message: expect.stringContaining("would remove a file in an image") as string,
      remedy: expect.stringMatching(
        /^Rename each file .* or copy the site to a folder or bucket\.$/,
      ) as string,
    });
  },
);

test("a layer is not ended once the operation is stopped", async () => {
  const writer = new LayerWriter(await folder(), undefined, SHA256);
  await writer.file({ path: "a.html", size: TEXT.length }, Readable.from([Buffer.from(TEXT)]));
  const reason = new Error("time limit");
  await expect(writer.end(AbortSignal.abort(reason))).rejects.toBe(reason);
});

test("a file without the announced bytes is refused", async () => {
  const writer = new LayerWriter(await folder(), undefined, SHA256);
  await expect(writer.file({ path: "a", size: 3 }, Readable.from([Buffer.from("ab")]))).rejects.toThrow(
    "a has 2 bytes, not 3",
  );
});

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "layer-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** A layer, and its contents by another reader of tar. */
async function layerOf(
  files: Readonly<Record<string, string>>,
  isOnBase = false,
): Promise<{ layer: Layer; bytes: Buffer; entries: ReadEntry[]; contents: Record<string, Buffer> }> {
  const writer = new LayerWriter(await folder(), isOnBase ? EMPTY_BASE : undefined, SHA256);
  for (const [path, text] of Object.entries(files)) {
    const bytes = Buffer.from(text, path === "noise.svg" ? "latin1" : "utf8");
    await writer.file({ path, size: bytes.length }, Readable.from([bytes]));
  }
  const layer = await writer.end(new AbortController().signal);
  const entries: ReadEntry[] = [];
  const contents: Record<string, Buffer> = {};
  await list({
    file: layer.path,
    strict: true,
    onReadEntry: (entry) => {
      entries.push(entry);
      const chunks: Buffer[] = [];
      entry.on("data", (chunk) => chunks.push(chunk));
      entry.on("end", () => (contents[entry.path] = Buffer.concat(chunks)));
    },
  });
  return { layer, bytes: await readFile(layer.path), entries, contents };
}
