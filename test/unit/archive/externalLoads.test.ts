// The inspection of a bundle's files for loads from other hosts, and its report.
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type Entry, SITE, tarGz } from "../../chart/tarArchive.ts";
import { zip } from "../../chart/zipArchive.ts";
import { inspected, LIMITS } from "./bundleOnDisk.ts";

describe("the loads of pages from other hosts", () => {
  const page = (path: string, ...hosts: string[]): Entry => ({
    name: path,
    content: hosts.map((host) => `<img src="https://${host}/x.png?a">`).join(""),
  });

  test("are listed page by page, each address once, in the order of the archive", async () => {
    const { selfContained, externalLoads, pages } = await inspected(
      tarGz([
        page("site/z.html", "b.example", "a.example", "b.example"),
        { name: "site/style.css", content: '@import "//c.example/x.css";' },
        { name: "site/data.txt", content: "<img src=https://d.example/>" },
        page("site/a.HTM", "b.example"),
        page("site/index.html"),
      ]),
    );
    expect(selfContained).toBe(false);
    expect(pages).toBe(3);
    expect(externalLoads).toEqual([
      { page: "z.html", address: "https://b.example/x.png" },
      { page: "z.html", address: "https://a.example/x.png" },
      { page: "style.css", address: "https://c.example/x.css" },
      { page: "a.HTM", address: "https://b.example/x.png" },
    ]);
  });

  test("are listed twenty times at most", async () => {
    const pages = Array.from({ length: 30 }, (_, index) => page(`page-${index}.html`, "a.example"));
    const { externalLoads } = await inspected(tarGz([...SITE, ...pages]));
    expect(externalLoads).toHaveLength(20);
    expect(externalLoads[19]).toEqual({ page: "page-19.html", address: "https://a.example/x.png" });
  });

  test("are the same in a zip", async () => {
    const { externalLoads } = await inspected(
      zip([{ name: "index.html", content: '<script src="//a.example"></script>' }]),
    );
    expect(externalLoads).toEqual([{ page: "index.html", address: "https://a.example/" }]);
  });

  test("are found in UTF-16, and after a mark of UTF-8", async () => {
    const utf16 = Buffer.from("\ufeff<img src='https://a.example/x'>", "utf16le");
    const entries: Entry[] = [
      { name: "little.html", content: utf16 },
      { name: "big.html", content: Buffer.from(utf16).swap16() },
      { name: "marked.html", content: "\ufeff<img src='https://a.example/x'>" },
    ];
    const { externalLoads } = await inspected(tarGz([...SITE, ...entries]));
    expect(externalLoads.map((load) => load.page)).toEqual(["little.html", "big.html", "marked.html"]);
  });

  test.each([
    ["a page of more than 16 MiB", "book.html", 17],
    ["a style sheet of more than 4 MiB", "book.css", 5],
    ["a drawing of more than 16 MiB", "book.svg", 17],
  ])("are unknown for %s, which is reported", async (_what, path, size) => {
    const content = Buffer.alloc(size * 1_024 * 1_024, "0123456789 url(abcdef)");
    const { externalLoads, selfContained } = await inspected(tarGz([...SITE, { name: path, content }]));
    expect(externalLoads).toEqual([{ page: path, address: "(not inspected: too large)" }]);
    expect(selfContained).toBe(false);
  });

  const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><image href="https://a.example/x"/></svg>';
  const PAGE = '<img src="https://a.example/x">';
  test.each<[string, string, string | Buffer]>([
    ["a drawing", "d.svg", SVG],
    ["a drawing with capitals", "D.SVG", SVG],
    ["a packed drawing", "d.svgz", gzipSync(SVG)],
    ["a page of XML", "x.xhtml", '<html><script src="a.js"/><img src="https://a.example/x"/></html>'],
    ["another page of XML", "x.xht", '<html><title/><img src="https://a.example/x"/></html>'],
    ["a manifest", "site.webmanifest", '{"icons":[{"src":"https://a.example/x"}]}'],
    ["a page with a compressed file beside it", "guide.html.gz", gzipSync(PAGE)],
    ["such a page of two parts", "guide.html.gz", Buffer.concat([gzipSync(" "), gzipSync(PAGE)])],
    ["such a page of brotli", "guide.html.br", brotliCompressSync(PAGE)],
    ["such a style sheet", "style.css.gz", gzipSync('@import "https://a.example/x";')],
    ["such a page with capitals", "index.HTML.GZ", gzipSync(PAGE)],
  ])("are known for %s", async (_what, path, content) => {
    const { externalLoads, pages } = await inspected(tarGz([...SITE, { name: path, content }]));
    expect(externalLoads).toEqual([{ page: path, address: "https://a.example/x" }]);
    expect(pages).toBe(/\.xht/.test(path) ? 4 : 3);
  });

  test.each<[string, string, string | Buffer]>([
    ["what is compressed in another way", "guide.html.zst", Buffer.from("28b52ffd", "hex")],
    ["what is not compressed", "guide.html.gz", PAGE],
    ["what is cut off", "guide.html.br", brotliCompressSync(PAGE).subarray(0, 10)],
    ["what bursts", "guide.html.gz", gzipSync(Buffer.alloc(17 * 1_024 * 1_024, PAGE))],
  ])("are unknown for %s, which is reported", async (_what, path, content) => {
    const { externalLoads } = await inspected(tarGz([...SITE, { name: path, content }]));
    const address = "(not inspected: its compressed data is invalid, or has more than 16 MiB)";
    expect(externalLoads).toEqual([{ page: path, address }]);
  });

  test("are not searched for in other files, packed or not", async () => {
    const others = ["x.xml", "x.txt.gz", "x.gz", "html.gz", "x.tar.br", "x.zst"];
    const entries = others.map((name): Entry => ({ name, content: PAGE }));
    expect((await inspected(tarGz([...SITE, ...entries]))).externalLoads).toEqual([]);
  });

  test("are the same for the same bundle, which is inspected up to a number of characters", async () => {
    const pages = Array.from({ length: 5 }, (_, index): Entry => ({
      name: `${index}.html`,
      content: `<style>url(a)\\\n${" ".repeat(1_500)}</style>`,
    }));
    const unpackedBytes = [...SITE, ...pages].reduce((sum, { content = "" }) => sum + content.length, 0);
    const archive = tarGz([...SITE, ...pages]);
    const { externalLoads } = await inspected(archive, { ...LIMITS, unpackedBytes });
    expect(externalLoads.map((load) => load.page)).toEqual(["2.html", "3.html", "4.html"]);
    expect(externalLoads[0]?.address).toBe(
      "(not inspected: the bundle has more text than limits.unpackedBytes)",
    );
    expect((await inspected(archive, { ...LIMITS, unpackedBytes })).externalLoads).toEqual(externalLoads);
  });
});
