// The inspection of a bundle's files for loads from other hosts, and its report.
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type Entry, SITE, tarGz } from "../../../chart/tarArchive.ts";
import { zip } from "../../../chart/zipArchive.ts";
import { inspected, LIMITS } from "../archives/bundleOnDisk.ts";

describe("the loads of pages from other hosts", () => {
  const page = (path: string, ...hosts: string[]): Entry => ({
    name: path,
    content: hosts.map((host) => `<img src="https://${host}/x.png?a">`).join(""),
  });

  test("are listed each once, with the first page and the number of pages, in the order of the archive", async () => {
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
      { page: "z.html", address: "https://b.example/x.png", pages: 2 },
      { page: "z.html", address: "https://a.example/x.png", pages: 1 },
      { page: "style.css", address: "https://c.example/x.css", pages: 1 },
    ]);
  });

  test("are listed twenty times at most, and each host before a second address of another", async () => {
    const many = Array.from({ length: 30 }, (_, index) => `a.example/${index}`);
    const entries = [
      page("a.html", ...many),
      page("b.html", "b.example", ...many),
      page("c.html", "c.example", "b.example/2"),
    ];
    const { externalLoads } = await inspected(tarGz([...SITE, ...entries]));
    expect(externalLoads).toHaveLength(20);
    expect(externalLoads.slice(0, 6)).toEqual([
      { page: "a.html", address: "https://a.example/0/x.png", pages: 2 },
      { page: "b.html", address: "https://b.example/x.png", pages: 1 },
      { page: "c.html", address: "https://c.example/x.png", pages: 1 },
      { page: "a.html", address: "https://a.example/1/x.png", pages: 2 },
      { page: "c.html", address: "https://b.example/2/x.png", pages: 1 },
      { page: "a.html", address: "https://a.example/2/x.png", pages: 2 },
    ]);
  });

  test("are one entry for each of twenty hosts, and no more", async () => {
    const hosts = Array.from({ length: 30 }, (_, index) => `h${index}.example`);
    const { externalLoads } = await inspected(tarGz([...SITE, page("a.html", "h0.example/first", ...hosts)]));
    expect(externalLoads.map(({ address }) => new URL(address).host)).toEqual(hosts.slice(0, 20));
  });

  test("are the same in a zip", async () => {
    const { externalLoads } = await inspected(
      zip([{ name: "index.html", content: '<script src="//a.example"></script>' }]),
    );
    expect(externalLoads).toEqual([{ page: "index.html", address: "https://a.example/", pages: 1 }]);
  });

  test("are found in UTF-16, and after a mark of UTF-8", async () => {
    const content = (path: string): string => `\ufeff<img src='https://a.example/${path}'>`;
    const entries: Entry[] = [
      { name: "little.html", content: Buffer.from(content("little"), "utf16le") },
      { name: "big.html", content: Buffer.from(content("big"), "utf16le").swap16() },
      { name: "marked.html", content: content("marked") },
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
    expect(externalLoads).toEqual([{ page: path, address: "(not inspected: too large)", pages: 1 }]);
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
    expect(externalLoads).toEqual([{ page: path, address: "https://a.example/x", pages: 1 }]);
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
    expect(externalLoads).toEqual([{ page: path, address, pages: 1 }]);
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
    const address = "(not inspected: the bundle has more text than limits.unpackedBytes)";
    expect(externalLoads).toEqual([{ page: "2.html", address, pages: 3 }]);
    expect((await inspected(archive, { ...LIMITS, unpackedBytes })).externalLoads).toEqual(externalLoads);
  });
});
