// The loads of texts other than plain pages, and the limits of their inspection.
import { Tokenizer } from "parse5";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { TextKind } from "../../../../provider/publishing/inspection/embedded.ts";
import { NotInspected } from "../../../../provider/publishing/inspection/inspectionBudget.ts";
import { loadsOf } from "./loadsOf.ts";

const X = "https://cdn.example/x";

describe("an XML text", () => {
  const SVG = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">`;

  test.each([
    ["an image", `${SVG}<image href="${X}"/></svg>`],
    ["an image by the old name", `${SVG}<image xlink:href='${X}'/></svg>`],
    ["an image by names of its own", `<s:svg xmlns:l="x"><s:image l:href="${X}"/></s:svg>`],
    ["a symbol", `${SVG}<use href="${X}#a"/></svg>`],
    ["a style", `${SVG}<style>@import "${X}";</style></svg>`],
    ["a style in CDATA", `${SVG}<style type="text/css"><![CDATA[ @import url(${X}); ]]></style></svg>`],
    ["a style after one without content", `${SVG}<style/><style>@import "${X}"</style></svg>`],
    [
      "a style sheet by an instruction",
      `<?xml version="1.0"?><?xml-stylesheet type="text/css" href="${X}"?>${SVG}</svg>`,
    ],
    ["a style sheet by an instruction in other quotes", `<?xml-stylesheet href = '${X}' ?>${SVG}</svg>`],
    ["an image after a script without content", `<html><script src="a.js"/><img src="${X}"/></html>`],
    ["an image after a title without content", `<html><head><title/></head><img src="${X}"/></html>`],
    [
      "an image in what a page would not read",
      `<html><noscript/><textarea><img src="${X}"/></textarea></html>`,
    ],
    [
      "an entity",
      `<!DOCTYPE svg [<!ENTITY host "https://cdn.example">]>${SVG}<image href="&host;/x"/></svg>`,
    ],
    ["markup in an entity", `<!DOCTYPE svg [<!ENTITY e '<image href="${X}"/>'>]>${SVG}&e;</svg>`],
    ["an address with references", `${SVG}<image href="https&#58;//cdn.example/x"/></svg>`],
    ["a base", `<html><base href="https://cdn.example/"/><img src="x"/></html>`],
    ["a page that it turns to", `<html><meta http-equiv="refresh" content="0;url=${X}"/></html>`],
  ])("loads by %s", async (_what, xml) => {
    expect(await loadsOf(xml, "xml")).toEqual([X]);
  });

  test.each([
    ["its namespaces", `${SVG}<image xmlns:href="${X}" href="a.png"/></svg>`],
    ["a link", `${SVG}<a xlink:href="${X}"><text>x</text></a></svg>`],
    ["CDATA", `${SVG}<text><![CDATA[<image href="${X}"/>]]></text></svg>`],
    ["a comment", `${SVG}<!-- <image href="${X}"/> --></svg>`],
    ["a document type", `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "${X}"><html/>`],
    ["entities of a drawing program", `<!DOCTYPE svg [<!ENTITY ns "${X}">]><svg xmlns:x="&ns;"/>`],
    ["another instruction", `<?php href="${X}"?>${SVG}</svg>`],
    [
      "an instruction with a document in its address",
      `<?xml-stylesheet href="data:image/svg+xml,%3Cimage href='${X}'/%3E"?>${SVG}</svg>`,
    ],
    ["an instruction without an address", `<?xml-stylesheet type="text/css"?>${SVG}</svg>`],
    ["an instruction within the site", `<?xml-stylesheet type="text/xsl" href="/x.xsl"?>${SVG}</svg>`],
  ])("does not load by %s", async (_what, xml) => {
    expect(await loadsOf(xml, "xml")).toEqual([]);
  });

  test.each([
    ["entities of entities", `<!DOCTYPE a [<!ENTITY a "x"><!ENTITY b "&a;">]><a>&b;</a>`],
    ["a reference in an entity", `<!DOCTYPE a [<!ENTITY b "&#60;image href='${X}'/>">]><a>&b;</a>`],
    ["entities of others", `<!DOCTYPE a [<!ENTITY % b SYSTEM "b.dtd"> %b;]><a/>`],
    ["entities that burst", `<!DOCTYPE a [<!ENTITY b "${"b".repeat(200_000)}">]><a>${"&b;".repeat(100)}</a>`],
    ["a processing instruction with a > in it", `<?xml-stylesheet title=">" href="${X}"?><a/>`],
  ])("is not inspected that has %s", async (_what, xml) => {
    await expect(loadsOf(xml, "xml")).rejects.toThrow(NotInspected);
  });
});

describe("a long text", () => {
  const LONG = "a > b & c ".repeat(100);

  test.each([
    ["of a paragraph", `<p>${LONG}<img src="${X}">${LONG}</p>`],
    [
      "of a title, with what looks like a tag",
      `<title>${LONG}<img src="${X}0">${LONG}</title><img src="${X}">`,
    ],
    ["of a script", `<script>${LONG}"<img src='${X}0'>"${LONG}</script><img src="${X}">`],
    ["of a comment", `<!-- ${LONG}<img src="${X}0">${LONG}--><img src="${X}">`],
    ["of an attribute", `<p title="${LONG}<img src='${X}0'>${LONG}"><img src="${X}">`],
    ["of a style", `<style>/* ${LONG}*/ @import "${X}"; /* ${LONG}*/</style>`],
    ["of a style in a drawing", `<svg><style>/* ${LONG}*/ @import "${X}"; /* ${LONG}*/</style></svg>`],
    [
      "of a drawing",
      `<svg><text><![CDATA[${LONG}<image href="${X}0"/>${LONG}]]>${LONG}</text><image href="${X}"/>`,
    ],
    ["of a module", `<script type="module">/* ${LONG}*/ import "${X}"; /* ${LONG}*/</script>`],
    ["that ends in a reference", `<p>${LONG}&amp<img src="${X}">`],
  ])("%s hides no load, and is none", async (_what, page) => {
    expect(await loadsOf(page)).toEqual([X]);
  });

  test("between tags is not read tag by tag: the pages of a site have little else", async () => {
    const write = vi.spyOn(Tokenizer.prototype, "write");
    onTestFinished(() => write.mockRestore());
    await loadsOf(`<p>${LONG.repeat(100)}</p><img src="${X}">${LONG.repeat(100)}`);
    expect(write.mock.calls.reduce((sum, [text]) => sum + text.length, 0)).toBeLessThan(100);
  });

  test("of anything else is read in few parts", async () => {
    const write = vi.spyOn(Tokenizer.prototype, "write");
    onTestFinished(() => write.mockRestore());
    await loadsOf(`<script>${LONG.repeat(1_000)}</script>`);
    expect(write.mock.calls.length).toBeLessThan(40);
  });
});

test("a manifest loads its images, and none of its other addresses", async () => {
  const manifest = {
    start_url: "https://a.example/",
    icons: [{ src: X, sizes: "1x1" }],
    screenshots: [{ src: "a.png" }],
  };
  expect(await loadsOf(JSON.stringify(manifest), "manifest")).toEqual([X]);
});

test("rules that are as deep as they are long are read", async () => {
  const depth = 1_000_000;
  const rules = `${"[".repeat(depth)}"${X}"${"]".repeat(depth)}`;
  expect(await loadsOf(rules, "json")).toEqual([X]);
});

describe("a nested text", () => {
  const nested = (depth: number): string => {
    let page = `<img src="${X}">`;
    for (let each = 0; each < depth; each++) {
      page = `<iframe srcdoc="${page.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"></iframe>`;
    }
    return page;
  };

  test("is inspected four deep", async () => {
    expect(await loadsOf(nested(4))).toEqual([X]);
  });

  test.each([5, 6, 7])("is not inspected %i deep, which is reported", async (depth) => {
    await expect(loadsOf(nested(depth))).rejects.toThrow("more than 4 nested documents");
  });

  test("is below the base of the page around it, and a document with its own address is not", async () => {
    const base = `<base href="https://cdn.example/">`;
    expect(await loadsOf(`${base}<iframe srcdoc="<img src=x>"></iframe>`)).toEqual([X]);
    expect(await loadsOf(`${base}<p style="background:url(x)">`)).toEqual([X]);
    expect(await loadsOf(`${base}<iframe src="data:text/html,<img src=x>"></iframe>`)).toEqual([]);
  });
});

describe("the inspection of a text", () => {
  /** The slowest input of the tokenizer: each character is an error. */
  const ERRORS = "\\\n";

  test("ends after a thousand errors of a style sheet", async () => {
    const sheet = (errors: number): string => `a{}${ERRORS.repeat(errors)} p { background: url(${X}) }`;
    expect(await loadsOf(sheet(1_000), "css")).toEqual([X]);
    await expect(loadsOf(sheet(1_001), "css")).rejects.toThrow("more than 1000 errors in one style sheet");
  });

  test("ends after the limit of characters of all texts together", async () => {
    const page = `<style>${" ".repeat(1_000)}url(</style>`;
    await loadsOf(page, "html", 2 * page.length + 8_000);
    await expect(loadsOf(page, "html", page.length + 1_000)).rejects.toThrow(
      "more text than limits.unpackedBytes",
    );
    await expect(loadsOf("a".repeat(100), "css", 99)).rejects.toThrow(NotInspected);
    await expect(loadsOf("url(a)", "css", 5)).rejects.toThrow(NotInspected);
    await expect(loadsOf(`["a"]`, "json", 4)).rejects.toThrow(NotInspected);
    const withErrors = `url(a)${ERRORS.repeat(100)}`;
    await expect(loadsOf(withErrors, "css", withErrors.length + 799_999)).rejects.toThrow(NotInspected);
    expect(await loadsOf(withErrors, "css", withErrors.length + 800_000)).toEqual([]);
  });

  test("ends at an endless list", async () => {
    const list = (count: number): string => `<img srcset="${"a 1x, ".repeat(count)}">`;
    expect(await loadsOf(list(999))).toEqual([]);
    await expect(loadsOf(list(1_001))).rejects.toThrow("a list of more than 1000 addresses");
  });

  test.each<[string, TextKind, string]>([
    ["a style sheet", "css", `@import "a";${"a { b: c } ".repeat(150_000)}`],
    ["errors in a page's styles", "html", `<style>url(a)${ERRORS.repeat(900)}</style>`.repeat(100)],
    ["a page of elements in elements", "html", "<div><svg>".repeat(150_000)],
    [
      "a tag with attributes without end",
      "html",
      `<a ${Array.from({ length: 200_000 }, (_, at) => `a${at}`).join(" ")}>`,
    ],
    ["a page in an attribute", "html", `<iframe srcdoc="${"<p>".repeat(400_000)}">`],
    ["a drawing", "xml", "<g><![CDATA[x]]>".repeat(100_000)],
    ["rules", "json", JSON.stringify(Array.from({ length: 100_000 }, () => "//abcdefghijklmno"))],
  ])("lets other work run, and ends when it is stopped: %s", async (_what, kind, text) => {
    let turns = 0;
    let isDone = false;
    const others = async (): Promise<void> => {
      for (; !isDone; turns++) await new Promise((resolve) => setImmediate(resolve));
    };
    const running = others();
    await loadsOf(text, kind).finally(() => (isDone = true));
    await running;
    expect(turns).toBeGreaterThan(4);
    const stop = new AbortController();
    const reason = new Error("time limit");
    const inspecting = loadsOf(text, kind, Infinity, stop);
    setImmediate(() => stop.abort(reason));
    await expect(inspecting).rejects.toBe(reason);
  });
});
