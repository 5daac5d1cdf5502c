import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { editionOf } from "../../../../provider/publishing/additions/additions.ts";
import { type AdditionFacts, unpackSite } from "../../../../provider/publishing/additions/unpackSite.ts";
import type { OfflineSearch } from "../../../../provider/publishing/offlineSearch/options.ts";
import { tarGz } from "../../../chart/tarArchive.ts";
import { bundleOnDisk, inspected, LIMITS } from "../archives/bundleOnDisk.ts";

const SITE = {
  "index.html": "<title>Start</title><p>welcome</p>",
  "guide.html": "<title>Guide</title><p>installation</p>",
  "style.css": "p { color: black }",
};
const BUNDLE = tarGz(Object.entries(SITE).map(([name, content]) => ({ name: `site/${name}`, content })));

interface Unpacked {
  readonly facts: AdditionFacts;
  readonly files: Readonly<Record<string, string>>;
}

async function unpacked(options?: OfflineSearch, signal = new AbortController().signal): Promise<Unpacked> {
  const files: Record<string, string> = {};
  const sink = {
    file: async ({ path }: { path: string }, content: AsyncIterable<Uint8Array>): Promise<void> => {
      const pieces: Uint8Array[] = [];
      for await (const piece of content) pieces.push(piece);
      files[path] = Buffer.concat(pieces).toString();
    },
  };
  const bundle = bundleOnDisk(BUNDLE);
  const wanted = { ...(options && { offlineSearch: options }), hasFile: (path: string) => path in SITE };
  const unpacking = { signal, ...(await inspected(bundle)) };
  const facts = await unpackSite(bundle, LIMITS, sink, unpacking, wanted);
  return { facts, files };
}

test("without a search, the files are those of the bundle, and there are no facts", async () => {
  expect(await unpacked()).toEqual({
    facts: {},
    files: SITE,
  });
});

test("with a search, its files are added, and the number of pages is that of the pages found", async () => {
  const { facts, files } = await unpacked(true);
  expect(facts).toEqual({ searchPages: 2, searchVersion: "5" });
  expect(files["style.css"]).toBe(SITE["style.css"]);
  expect(files["guide.html"]?.startsWith(SITE["guide.html"])).toBe(true);
  expect(files["guide.html"]).toContain("docs-hosting-search/");
  expect(Object.keys(files)).toContain("docs-hosting-search/load.js");
});

test("the options reach the search: a page that is excluded is not found", async () => {
  const { facts, files } = await unpacked({ exclude: ["guide.html"], button: false });
  expect(facts.searchPages).toBe(1);
  const all = await unpacked(true);
  expect(files["docs-hosting-search/load.js"]).not.toBe(all.files["docs-hosting-search/load.js"]);
});

test("a run that is cancelled ends with the reason", async () => {
  const signal = AbortSignal.abort(new Error("cancelled"));
  await expect(unpacked(undefined, signal)).rejects.toThrow("cancelled");
  await expect(unpacked(true, signal)).rejects.toThrow("cancelled");
});

test("the edition of a site is its archive's digest; with a search it depends on the options and on the search's version, too", () => {
  const sha256 = "5f".repeat(32);
  expect(editionOf(sha256, {})).toBe(sha256);
  const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");
  expect(editionOf(sha256, { offlineSearch: true })).toBe(digestOf(`["${sha256}","5",true]`));
  expect(editionOf(sha256, { offlineSearch: { button: false } })).toBe(
    digestOf(`["${sha256}","5",{"button":false}]`),
  );
});

test("the edition of a site with Markdown depends on its options and version, and on the search beside it", () => {
  const sha256 = "5f".repeat(32);
  const editions = [
    editionOf(sha256, { llmsTxt: true }),
    editionOf(sha256, { llmsTxt: { full: true } }),
    editionOf(sha256, { offlineSearch: true }),
    editionOf(sha256, { offlineSearch: true, llmsTxt: true }),
    sha256,
  ];
  expect(new Set(editions).size).toBe(editions.length);
  expect(editionOf(sha256, { llmsTxt: { full: true, title: "a" } })).toBe(
    editionOf(sha256, { llmsTxt: { title: "a", full: true } }),
  );
});

test("the edition is the same for options in another order", () => {
  const sha256 = "5f".repeat(32);
  expect(editionOf(sha256, { offlineSearch: { shortcuts: false, button: false } })).toBe(
    editionOf(sha256, { offlineSearch: { button: false, shortcuts: false } }),
  );
  expect(editionOf(sha256, { offlineSearch: { shortcuts: false } })).not.toBe(
    editionOf(sha256, { offlineSearch: { button: false } }),
  );
});

test("a site of which more than a tenth asks to be left out gets a warning with the numbers, and can be found with an option", async () => {
  const pages = Array.from({ length: 10 }, (_, number): [string, string] => {
    const robots = number < 2 ? '<meta name="robots" content="noindex">' : "";
    return [
      number === 0 ? "index.html" : `p${number}.html`,
      `${robots}<title>P${number}</title><p>text ${number}`,
    ];
  });
  const site = Object.fromEntries(pages);
  const bundle = bundleOnDisk(tarGz(pages.map(([name, content]) => ({ name, content }))));
  const unpacking = { signal: new AbortController().signal, ...(await inspected(bundle)) };
  const sink = {
    file: async (_: unknown, content: AsyncIterable<Uint8Array>): Promise<void> => {
      for await (const piece of content) expect(piece).toBeInstanceOf(Uint8Array);
    },
  };
  const warnings: string[] = [];
  const reporter = { warn: (text: string) => void warnings.push(text), info: () => undefined };
  const pagesWith = async (options: OfflineSearch): Promise<number | undefined> => {
    const wanted = { offlineSearch: options, hasFile: (path: string) => path in site, reporter };
    return (await unpackSite(bundle, LIMITS, sink, unpacking, wanted)).searchPages;
  };
  expect(await pagesWith(true)).toBe(8);
  expect(warnings).toEqual([expect.stringContaining("leaves out 2 of 10 pages, such as index.html")]);
  expect(await pagesWith({ includeNoindex: true })).toBe(10);
  expect(warnings).toHaveLength(1);
});
