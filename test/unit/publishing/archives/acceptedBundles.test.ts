// Bundles whose sites are accepted: their root, their files and their links.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { packArchive, renderSite } from "../../../../examples/reference-service/index.ts";
import { BundleRefusedError } from "../../../../provider/base/runtime/messages/errors.ts";
import { archiveFormat } from "../../../../provider/publishing/archives/format.ts";
import { inspectBundle } from "../../../../provider/publishing/inspection/bundle.ts";
import { type Entry, SITE, tar, tarGz } from "../../../chart/tarArchive.ts";
import { zip, type ZipEntry } from "../../../chart/zipArchive.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { bundleOnDisk, inspected, LIMITS, refusalOf, unpacked } from "./bundleOnDisk.ts";
import { tarAttribute } from "./tarAttribute.ts";

const folder = mkdtempSync(join(tmpdir(), "packed-"));

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A folder with these files. */
function written(files: Readonly<Record<string, string>>): string {
  const target = mkdtempSync(join(folder, "site-"));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), content, "latin1");
  }
  return target;
}

test("a bundle of the reference service is a site that needs nothing from other hosts", async () => {
  const source = written({
    "index.md":
      "# Start\n\n[Guide](guide.md) and [elsewhere](https://example.com/x)\n\n```ts\nconst a = 1;\n```\n",
    "guide.md": "# Guide\n\n![picture](picture.svg)\n",
    "picture.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
  });
  const target = mkdtempSync(join(folder, "rendered-"));
  const { files } = await renderSite({ source, target, name: "Manual" });
  const path = join(folder, "bundle.tar.gz");
  const sha256 = await packArchive(target, files, path);
  expect(await archiveFormat(path)).toBe("tar.gz");
  const bundle = { path, format: "tar.gz", sha256 } as const;
  expect(await inspected(bundle)).toEqual({
    root: "",
    leftOut: [],
    idleFiles: { ofHosts: [], ofGenerators: [] },
    files: files.length,
    pages: 2,
    unpackedBytes: files.reduce((sum, file) => sum + readFileSync(join(target, file)).length, 0),
    selfContained: true,
    externalLoads: [],
    versionControl: [],
    secretFiles: [],
    notOnWindows: [],
    doubtfulNames: new Map(),
    hasFile: expect.any(Function) as unknown,
    hasFolder: expect.any(Function) as unknown,
  });
  // the page for wrong addresses does not count as a page
  expect(files).toContain("404.html");
  const contents = files.map((file) => [file, readFileSync(join(target, file), "latin1")]);
  expect(await unpacked(bundle)).toEqual(Object.fromEntries(contents));
});

const inFolder = (entries: readonly Entry[], top = "site"): Entry[] =>
  entries.map((entry) => ({ ...entry, name: `${top}/${entry.name}` }));

describe("the site's root", () => {
  const paths = ["index.html", "guide.html", "folder/index.html"].sort();

  test("is the archive's own, where the start page is", async () => {
    expect(Object.keys(await unpacked(tarGz(SITE))).sort()).toEqual(paths);
    const dotted = SITE.map((entry) => ({ ...entry, name: `./${entry.name}` }));
    const archive = tarGz([{ name: "./", type: "5" }, ...dotted]);
    expect(Object.keys(await unpacked(archive)).sort()).toEqual(paths);
  });

  test("is the one folder that contains everything", async () => {
    expect((await inspected(tarGz(inFolder(SITE)))).root).toBe("site");
    expect(Object.keys(await unpacked(tarGz(inFolder(SITE)))).sort()).toEqual(paths);
    expect(Object.keys(await unpacked(tarGz(inFolder(SITE, "./site")))).sort()).toEqual(paths);
  });

  test("is the archive's own even where all is in one folder that has a start page, too", async () => {
    expect((await inspected(tarGz([...inFolder(SITE), { name: "index.html" }]))).root).toBe("");
  });

  test.each<[string, Entry[]]>([
    ["nothing", []],
    ["no start page", [{ name: "guide.html" }]],
    ["a start page of another name", [{ name: "Index.html" }]],
    ["a folder of that name", [{ name: "index.html/", type: "5" }]],
    ["two folders", [...inFolder(SITE), { name: "other/x.html" }]],
    ["an empty folder beside it", [...inFolder(SITE), { name: "other/", type: "5" }]],
    ["a file beside it", [...inFolder(SITE), { name: "README" }]],
    ["a folder in a folder", inFolder(inFolder(SITE))],
  ])("is missing in an archive with %s", async (_what, entries) => {
    await expect(inspected(tarGz(entries))).rejects.toThrow(
      "the bundle is refused: it has no index.html, neither at the top nor in its only top-level folder",
    );
    const files: ZipEntry[] = entries.map(({ name: path, content = "" }) => ({ name: path, content }));
    await expect(inspected(zip(files))).rejects.toThrow(BundleRefusedError);
  });
});

test("files that Macs and file managers add are left out, whatever their names", async () => {
  const mac = [
    ...["__MACOSX/._index.html", "__MACOSX/", "folder/._index.html", ".DS_Store", "folder/.DS_Store"],
    ...["./._.", "./._aux.html", "._drawtext(_:at:).json", "._a\\b", "folder/Icon\r", "._Icon\r", "._x. "],
    ...["Thumbs.db", "folder/desktop.ini", `__MACOSX/${"d/".repeat(40)}x:y`, "folder/@eaDir/x"],
  ];
  const entries = mac.map((path) => ({ name: path, type: path.endsWith("/") ? "5" : "0" }));
  const { files, notOnWindows } = await inspected(tarGz([...SITE, ...entries]));
  expect({ files, notOnWindows }).toEqual({ files: 3, notOnWindows: [] });
  expect(Object.keys(await unpacked(tarGz([...SITE, ...entries])))).toHaveLength(3);
  for (const name of ["__MACOSX/../../._x", "/._x", "__MACOSX/..\\..\\._x", "c:/._x", "a//._x"]) {
    expect(await refusalOf(tarGz([...SITE, { name }]))).toMatch(/leads outside|absolute|drive|empty segment/);
  }
  const twice = { name: "./._." };
  expect(await refusalOf(tarGz([...SITE, twice, twice]))).toContain("occurs twice");
  const site = inFolder(SITE).map(({ name: path, content = "" }) => ({ name: path, content }));
  expect((await inspected(zip([...site, ...mac.slice(0, 2).map((path) => ({ name: path }))]))).root).toBe(
    "site",
  );
  expect(await refusalOf(tarGz([...SITE, { name: "__MACOSX/x", type: "2" }]))).toContain(
    "is a symbolic link",
  );
});

test("several members of gzip, and the header fields of old and new packers, are read", async () => {
  const members = [tar(SITE.slice(0, 2), Buffer.alloc(0)), tar(SITE.slice(2))].map((part) => gzipSync(part));
  expect(Object.keys(await unpacked(Buffer.concat(members)))).toHaveLength(3);
  const further: Entry[] = [
    {
      name: "pax_global_header",
      type: "g",
      content: tarAttribute("comment", "0123456789abcdef"),
    },
    {
      name: "@",
      type: "x",
      content: tarAttribute("path", "über.html") + tarAttribute("mtime", "1700000000.5"),
    },
    { name: "uber.html", content: "x" },
    { name: "old.html", type: "\0", content: "x" },
    { name: "in-one-piece.html", type: "7", content: "x" },
    { name: "shared/", type: "5", mode: 0o2775 },
  ];
  const files = await unpacked(tarGz([...further, ...SITE]));
  expect(Object.keys(files)).toEqual(
    expect.arrayContaining(["über.html", "old.html", "in-one-piece.html", "index.html"]),
  );
});

test("the inspection of a bundle reports its progress", async () => {
  const reporter = recordingReporter();
  const archive = tarGz(SITE);
  await inspectBundle(bundleOnDisk(archive), LIMITS, { signal: new AbortController().signal, reporter });
  const size = `${archive.length} B`;
  expect(reporter.lines.progress).toEqual([`100% · ${size} of ${size} · inspecting`]);
});

test.each([
  ["one link", ["copy.html"]],
  ["several links", ["a/copy.html", "copy.html", "z.html"]],
])("a hard link to an earlier file is a copy of that file: %s", async (_what, links) => {
  const entries = links.map((path): Entry => ({ name: `./${path}`, type: "1", linkName: "./guide.html" }));
  const later: Entry = { name: "later.html", type: "1", linkName: links[0] ?? "" };
  const bundle = bundleOnDisk(tarGz([...SITE, ...entries, later, { name: "last.html", content: "last" }]));
  const { files, pages, unpackedBytes } = await inspected(bundle);
  const copies = [...links, "later.html"];
  const size = SITE.reduce((sum, { content = "" }) => sum + content.length, 0);
  expect({ files, pages, unpackedBytes }).toEqual({
    files: 4 + copies.length,
    pages: 4 + copies.length,
    unpackedBytes: size + 4 + copies.length * "<h1>Guide</h1>".length,
  });
  expect(await unpacked(bundle)).toMatchObject(
    Object.fromEntries(copies.map((path) => [path, "<h1>Guide</h1>"])),
  );
});

test("hard links to a large file, with long names and targets, are copies of it", async () => {
  const content = Buffer.alloc(17 * 1_024 * 1_024, "0123456789");
  const [long, other] = [`${"d/".repeat(55)}large.bin`, `${"e/".repeat(55)}copy.bin`];
  const entries: Entry[] = [
    { name: "././@LongLink", type: "L", content: `${long}\0` },
    { name: long.slice(0, 99), content },
    { name: "././@LongLink", type: "K", content: `${long}\0` },
    { name: "one.bin", type: "1", linkName: long.slice(0, 99) },
    { name: "@", type: "x", content: tarAttribute("linkpath", long) + tarAttribute("path", other) },
    { name: "two.bin", type: "1", linkName: "cut off" },
  ];
  const files = await unpacked(tarGz([...SITE, ...entries]));
  const expected = content.toString("latin1");
  for (const path of [long, "one.bin", other]) expect(files[path] === expected).toBe(true);
  expect(Object.keys(files)).toHaveLength(6);
});

test("a hard link to a file that is not published is a copy of it", async () => {
  const entries: Entry[] = [
    { name: ".git/x", content: "in both" },
    { name: "x.txt", type: "1", linkName: ".git/x" },
    { name: ".git/y", type: "1", linkName: "guide.html" },
  ];
  expect(await unpacked(tarGz([...SITE, ...entries]))).toMatchObject({ "x.txt": "in both" });
  expect((await inspected(tarGz([...SITE, ...entries]))).files).toBe(4);
});

test("folders that differ in case only are no collision while their files have other names", async () => {
  const files = await unpacked(tarGz([...SITE, { name: "API/a.html" }, { name: "api/b.html" }]));
  expect(Object.keys(files)).toEqual(expect.arrayContaining(["API/a.html", "api/b.html"]));
});

test("files whose names have one upper case collide on Windows, in any script", async () => {
  const names = ["s.html", "ſ.html", "straße.html", "STRASSE.html", "k.html", "\u212a.html"]; // the last one is the sign for Kelvin
  const { notOnWindows } = await inspected(tarGz([...SITE, ...names.map((name) => ({ name }))]));
  expect(notOnWindows).toEqual(["ſ.html", "STRASSE.html"]);
});

test("a bundle at exactly the limits is accepted", async () => {
  const unpackedBytes = SITE.reduce((sum, { content = "" }) => sum + content.length, 0);
  const root: Entry = { name: "./", type: "5" };
  await inspected(tarGz([root, ...SITE]), { unpackedBytes, files: 4 });
  expect(await refusalOf(tarGz(SITE), { unpackedBytes: unpackedBytes - 1, files: 4 })).toContain("more than");
  expect(await refusalOf(tarGz(SITE), { unpackedBytes, files: 3 })).toContain(
    "more than 3 files and folders",
  );
});

test.for<[string, Record<string, string>, number]>([
  ["pages in folders", { "index.md": "# Start", "guide/index.md": "# Guide", "guide/404.md": "# Errors" }, 3],
  ["no start page of its own", { "guide.md": "# Guide" }, 2],
  ["a page of its own for wrong addresses", { "index.md": "# Start", "404.md": "# Lost" }, 1],
])("the reference service and a copy count the same pages of a site with %s", async ([, texts, count]) => {
  const target = mkdtempSync(join(folder, "rendered-"));
  const seen: number[][] = [];
  const { files, pageCount } = await renderSite({
    source: written(texts),
    target,
    name: "Manual",
    onProgress: (...counts) => seen.push(counts),
  });
  const path = join(folder, "counted.tar.gz");
  const sha256 = await packArchive(target, files, path);
  const { pages } = await inspected({ path, format: "tar.gz", sha256 });
  expect({ pageCount, pages }).toEqual({ pageCount: count, pages: count });
  expect(seen).toEqual(Array.from({ length: count }, (_, index) => [index + 1, count]));
});

test("a file is known by its path below the site's root", async () => {
  for (const archive of [tarGz(SITE), tarGz(inFolder(SITE))]) {
    const { hasFile } = await inspected(archive);
    const paths = ["index.html", "folder/index.html", "folder", "site/index.html", "Index.html", "x.html"];
    expect(paths.map(hasFile)).toEqual([true, true, false, false, false, false]);
  }
});

test("the page for wrong addresses is recognized in a bundle whose files are all in one folder", async () => {
  const { root, pages } = await inspected(
    tarGz(
      ["index.html", "404.html", "guide/404.html"].map((path) => ({ name: `site/${path}`, content: "x" })),
    ),
  );
  expect({ root, pages }).toEqual({ root: "site", pages: 2 });
});
