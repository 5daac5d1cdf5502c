// Pages that are built to break or to delay the extraction of their text: their time is bounded by their size.
import { expect, test } from "vitest";
import { MAX_BYTES } from "../../../../provider/publishing/inspection/textLoads.ts";
import { processorMs } from "../../../simulation/processorTime.ts";
import { find, languagesOf, publishedSite } from "./publishedSite.ts";

const START = "<title>Start</title><p>welcome</p>";

test("60,000 nested elements are read like any other page", async () => {
  const site = await publishedSite({ "index.html": START, "deep.html": `${"<div>".repeat(60_000)}epsilon` });
  expect((await find(site, "epsilon"))[0]?.path).toBe("deep.html");
});

test("a tag with 200,000 attributes is read like any other", async () => {
  const names = Array.from({ length: 200_000 }, (_, number) => `a${number}`).join(" ");
  const started = processorMs();
  const site = await publishedSite({ "index.html": START, "wide.html": `<p ${names}>theta</p>` });
  expect((await find(site, "theta"))[0]?.path).toBe("wide.html");
  expect(processorMs() - started).toBeLessThan(5_000); // to compare each with each takes half a minute
});

test("a page of 1.5 MB is found by a word at its end, and adds little to the index", async () => {
  const text = `<h1>Large</h1>${`<p>${"some words of a long page ".repeat(40)}</p>`.repeat(1_500)}<p>kappa</p>`;
  const site = await publishedSite({ "index.html": START, "large.html": text });
  expect(text.length).toBeGreaterThan(1_500_000);
  expect((await find(site, "kappa"))[0]?.path).toBe("large.html");
  const index = [...site.files].filter(([path]) => path.startsWith("docs-hosting-search/"));
  expect(index.reduce((sum, [, { length }]) => sum + length, 0)).toBeLessThan(100_000);
});

test("a page without end: one comment, one tag, one text without a space", async () => {
  const length = 1_000_000;
  const site = await publishedSite({
    "index.html": START,
    "comment.html": `<p>lambda in a comment<!--${"-".repeat(length)}`,
    "tag.html": `<p>lambda in a tag<a href="${"x".repeat(length)}`,
    "word.html": `<p>lambda ${"x".repeat(length)}`,
    "headings.html": `<p>lambda${"<h2 id=a>b</h2>".repeat(length / 20)}`,
  });
  expect((await find(site, "lambda")).map(({ path }) => path).sort()).toEqual([
    "comment.html",
    "headings.html",
    "tag.html",
    "word.html",
  ]);
});

test("a page that is larger than what is read is published, and not found", async () => {
  const text = `<p>${"mu ".repeat(MAX_BYTES / 3 + 1)}`;
  const site = await publishedSite({ "index.html": START, "huge.html": text });
  expect(site.files.get("huge.html")?.length).toBe(text.length);
  expect(await find(site, "mu")).toEqual([]);
});

test("5,000 equal pages are one page in the index", async () => {
  const pages = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, number): [string, string] => [`${number}/index.html`, START]),
  );
  const site = await publishedSite(pages);
  expect(site.pages).toBe(1);
  expect((await find(site, "welcome")).map(({ path }) => path)).toEqual(["0/index.html"]);
});

test.for([
  ["Shift_JIS", "検索エンジン", "検索"],
  ["EUC-JP", "検索エンジン", "検索"],
  ["windows-1251", "Поиск документации", "документации"],
  ["ISO-8859-1", "Grüße aus Köln", "köln"],
  ["GBK", "全文搜索引擎", "搜索"],
] as const)("a page in %s is found by its words", async ([encoding, text, query]) => {
  const head = `<meta charset="${encoding}"><title>Start</title><p>`;
  const bytes = Buffer.concat([Buffer.from(head), encoded(text, encoding), Buffer.from("</p>")]);
  const site = await publishedSite({ "index.html": bytes });
  const [language = ""] = languagesOf(site).keys();
  expect((await find(site, query, language))[0]?.excerpt.map(([piece]) => piece).join("")).toBe(text);
  expect(site.files.get("index.html")?.subarray(0, bytes.length)).toEqual(bytes);
});

/** The bytes of a text: Node.js only decodes, so all characters of one and two bytes are decoded. */
function encoded(text: string, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding);
  const known = new Map<string, Buffer>();
  for (let code = 0; code < 0x10000; code++) {
    const bytes = Buffer.from(code < 0x100 ? [code] : [code >> 8, code & 0xff]);
    const character = decoder.decode(bytes);
    if (Array.from(character).length === 1 && !known.has(character)) known.set(character, bytes);
  }
  return Buffer.concat(Array.from(text, (character) => known.get(character) ?? Buffer.alloc(0)));
}

test("letters with 100,000 accents in text, links, titles and headings delay nothing", async () => {
  const accents = "\u0316\u0301".repeat(50_000);
  const started = processorMs();
  const site = await publishedSite({
    "index.html": START,
    "text.html": `<title>a${accents}</title><h1>a${accents}</h1><p>nu a${accents}</p>`,
    "links.html": `<p>nu links</p><a href="a${accents}">a</a><script src="/a${accents}"></script>`,
    "marks.html": `<p>nu marks</p><h2>${"#".repeat(1_000_000)}a</h2>`,
    "title.html": `<title>${"long ".repeat(200_000)}</title><p>nu title</p>`,
  });
  const found = await find(site, "nu");
  expect(found.map(({ path }) => path).sort()).toEqual([
    "links.html",
    "marks.html",
    "text.html",
    "title.html",
  ]);
  expect(Math.max(...found.map(({ title }) => title.length))).toBeLessThanOrEqual(200);
  expect(processorMs() - started).toBeLessThan(10_000);
});

test("only the beginning of a query of a megabyte is searched", async () => {
  const site = await publishedSite({ "index.html": START });
  const started = processorMs();
  expect((await find(site, `welcome ${"a\u0316\u0301".repeat(300_000)}`))[0]?.path).toBe("index.html");
  expect((await find(site, "welcome ".repeat(100_000)))[0]?.path).toBe("index.html");
  expect(processorMs() - started).toBeLessThan(5_000);
});
