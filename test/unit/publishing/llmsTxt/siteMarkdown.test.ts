import { hash } from "node:crypto";
import { expect, test } from "vitest";
import type { LlmsTxt } from "../../../../provider/publishing/llmsTxt/options.ts";
import { LLMS_VERSION } from "../../../../provider/publishing/llmsTxt/options.ts";
import { type MarkdownPage, readMarkdown } from "../../../../provider/publishing/llmsTxt/readMarkdown.ts";
import { SiteMarkdown } from "../../../../provider/publishing/llmsTxt/siteMarkdown.ts";

/** Pages that are the same are read once. */
const READ = new Map<string, MarkdownPage>();
function read(html: string): MarkdownPage {
  const page = READ.get(html) ?? readMarkdown(Buffer.from(html));
  READ.set(html, page);
  return page;
}

/** The files that are added to a site, and the links that its pages get. */
function added(site: Readonly<Record<string, string>>, wanted: LlmsTxt = true, order = Object.keys(site)) {
  const isFolder = (path: string): boolean => Object.keys(site).some((each) => each.startsWith(`${path}/`));
  const markdown = new SiteMarkdown(wanted, (path) => path in site, isFolder);
  const files: Record<string, string> = {};
  const links: Record<string, string | undefined> = {};
  for (const path of order) {
    const { files: own, link } = markdown.take(path, read(site[path] ?? ""));
    for (const { path: name, text } of own) files[name] = text;
    links[path] = link;
  }
  const { files: lists, pages } = markdown.finish();
  for (const { path: name, text } of lists) files[name] = text;
  return { files, links, pages, own: markdown.own };
}

const page = (title: string, content: string, head = ""): string =>
  `<html><head><title>${title} | Handbook</title>${head}</head><body><main><h1>${title}</h1>${content}</main></body></html>`;

const SITE = {
  "index.html": page(
    "Start",
    "<p>Welcome to it. More.</p>",
    '<meta name="description" content="All about tides.">',
  ),
  "guide/index.html": page(
    "Guide",
    '<p>How to <a href="install.html#now">install</a>. <a href="/">Start</a></p><img src="../a.png" alt="A">',
  ),
  "guide/install.html": page(
    "Install",
    '<p>First run. Then wait.</p><a href="../guide/">back</a> <a href="https://example.com/a.html">other</a>',
  ),
  "api/x.html": page("X", "<p>Text</p>"),
  "a.png": "",
};

test("a folder with the name of a page's Markdown stays: the Markdown keeps the page's whole name", () => {
  const { files, links } = added({
    "guide.html": page("Guide", "<p>Text</p>"),
    "guide.md/a.html": page("A", '<p><a href="../guide.html">Guide</a></p>'),
  });
  expect(links["guide.html"]).toBe("guide.html.md");
  expect(Object.keys(files).sort()).toEqual(["guide.html.md", "guide.md/a.md", "llms.txt"]);
  expect(files["guide.md/a.md"]).toContain("[Guide](../guide.html.md)");
});

test("of the two addresses of an index page's Markdown, that of a folder is left out", () => {
  const site = { "guide/index.html": page("Guide", "<p>Text</p>"), "guide.md/a.png": "" };
  const { files, links } = added(site);
  expect(links["guide/index.html"]).toBe("index.md");
  expect(Object.keys(files)).not.toContain("guide.md");
});

test("a folder named llms.txt stays, and is named", () => {
  const { files, own } = added({ "index.html": page("Start", "<p>Text</p>"), "llms.txt/a.png": "" });
  expect(Object.keys(files)).toEqual(["index.md"]);
  expect(own).toEqual(["llms.txt"]);
});

test("llms.txt has title, summary and a section for each folder, with a line for each page", () => {
  expect(added(SITE).files["llms.txt"]).toBe(`# Handbook

> All about tides.

## Pages

- [Start](index.md): All about tides.

## Api

- [X](api/x.md): Text

## Guide

- [Guide](guide/index.md): How to install.
- [Install](guide/install.md): First run.
`);
});

test("the Markdown of a folder's page is at both addresses that are asked for, and its links lead from there", () => {
  const { files, links } = added(SITE);
  expect(files["guide/index.md"]).toBe(
    "# Guide\n\nHow to [install](install.md#now). [Start](../index.md)\n\n![A](../a.png)\n",
  );
  expect(files["guide.md"]).toBe(
    "# Guide\n\nHow to [install](guide/install.md#now). [Start](index.md)\n\n![A](a.png)\n",
  );
  expect(files["guide/install.md"]).toBe(
    "# Install\n\nFirst run. Then wait.\n\n[back](index.md) [other](https://example.com/a.html)\n",
  );
  expect(links).toEqual({
    "index.html": "index.md",
    "guide/index.html": "index.md",
    "guide/install.html": "install.md",
    "api/x.html": "x.md",
    "a.png": undefined,
  });
});

test("texts of pages are no markup in llms.txt", () => {
  const about = '<meta name="description" content="See [b](c) and *d*, max_size &lt;e&gt;.">';
  const { files } = added({
    "index.html": page("Docs of C #", "<p>a</p>"),
    "x.html": page("[x] `y` *z*", "<p>a</p>", about),
  });
  expect(files["llms.txt"]).toContain(
    "[\\[x\\] \\`y\\` \\*z\\*](x.md): See [b\\](c) and \\*d\\*, max_size \\<e>.\n",
  );
});

test("a sentence goes on after an abbreviation with a small letter", () => {
  const sentenceOf = (text: string): string => read(page("A", `<p>${text}</p>`)).sentence;
  expect(sentenceOf("Choose a size, e.g. small ones. Then go on.")).toBe("Choose a size, e.g. small ones.");
  expect(sentenceOf("It ends here. Next")).toBe("It ends here.");
  expect(sentenceOf("最初の文。次の文。")).toBe("最初の文。");
});

test("an address with a slash at its end is that of the folder, if there is a page of its name, too", () => {
  const { files } = added({
    "index.html": page("Start", '<a href="guide/">folder</a> <a href="guide">page</a>'),
    "guide.html": page("Page", "<p>a</p>"),
    "guide/index.html": page("Folder", "<p>b</p>"),
  });
  expect(files["index.md"]).toContain("[folder](guide/index.md) [page](guide.md)");
});

test("the same files give the same bytes in any order", () => {
  const other = added(SITE, { full: true }, Object.keys(SITE).reverse());
  const { files } = added(SITE, { full: true });
  expect(Object.entries(other.files).sort()).toEqual(Object.entries(files).sort());
});

test("files that the site brings stay, and are named", () => {
  const { files, own } = added({ ...SITE, "guide.md": "own", "llms.txt": "own", "guide/install.md": "own" });
  expect(Object.keys(files).sort()).toEqual(["api/x.md", "guide/index.md", "index.md"]);
  expect(own).toEqual(["guide.md", "guide/install.md", "llms.txt"]);
});

test("pages with one name have Markdown each", () => {
  const { files } = added({
    "index.html": "",
    "a.html": "<p>html",
    "a.htm": "<p>htm",
    "a/index.html": "<p>index",
  });
  expect(files).toMatchObject({ "a.md": "html\n", "a.htm.md": "htm\n", "a/index.md": "index\n" });
});

test("pages that ask to be left out, redirects and the page for unknown addresses have no line; excluded ones have no Markdown", () => {
  const { files, pages } = added(
    {
      ...SITE,
      "404.html": page("No page", ""),
      "secret.html": page("Secret", "<p>a</p>", '<meta name="robots" content="noindex">'),
      "old.html": '<meta http-equiv="refresh" content="0; url=guide/install.html">',
      "v1/a.html": page("Old", "<p>a</p>"),
    },
    { exclude: ["v1/**"] },
  );
  expect(pages).toBe(4);
  expect(files["llms.txt"]).not.toMatch(/Secret|No page|Old|old/);
  expect(files["secret.md"]).toContain("# Secret");
  expect(files["old.md"]).toBe("The page is at [guide/install.html](guide/install.md).\n");
  expect(files["404.md"]).toBeUndefined();
  expect(files["v1/a.md"]).toBeUndefined();
});

test("options give title, summary and address", () => {
  const { files } = added(SITE, {
    title: "T",
    summary: "S",
    baseUrl: "https://docs.example.com/",
    full: true,
  });
  expect(files["llms.txt"]).toMatch(/^# T\n\n> S\n/);
  expect(files["llms.txt"]).toContain("- [Guide](https://docs.example.com/guide/index.md)");
  expect(files["llms-full.txt"]).toContain(
    "How to [install](https://docs.example.com/guide/install.md#now).",
  );
  expect(files["guide/index.md"]).toContain("[install](install.md#now)");
});

test("llms-full.txt ends at 16 MiB, whatever the order of the pages, and says how many it has", () => {
  const site = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `p${String(index).padStart(2, "0")}.html`,
      `<p>${"word ".repeat(200_000)}</p>`,
    ]),
  );
  const { files } = added(site, { full: true });
  const full = files["llms-full.txt"] ?? "";
  expect(full.length).toBeLessThan(16 * 2 ** 20 + 4_096);
  expect(full).toContain("This file has 16 of 40 pages: it ends at 16 MiB.");
  expect(added(site, { full: true }, Object.keys(site).reverse()).files["llms-full.txt"]).toBe(full);
});

test.each([
  ["/docs/", '<a href="b.html">b</a>', "[b](b.md)"],
  ["../", '<a href="c.html">c</a>', "[c](../c.md)"],
  ["https://other.example/x/", '<a href="b.html">b</a>', "[b](https://other.example/x/b.html)"],
])("<base href=%j> is obeyed", (base, link, expected) => {
  const site = { "docs/a.html": `<base href="${base}"><p>${link}</p>`, "docs/b.html": "", "c.html": "" };
  expect(added(site).files["docs/a.md"]).toBe(`${expected}\n`);
});

test("the Markdown of a fixed site is this one: with another, LLMS_VERSION must be increased", () => {
  const blocks = `<h2 id="a">A <code>b</code><a href="#a">¶</a></h2><p>One <b>two</b>, <em>three</em>, <kbd>Ctrl</kbd> <a href="../api/x.html#y">four</a><br>five * six _ seven</p>
<ul><li>one<ol start="3"><li>two</li></ol></li><li><p>three</p><p>four</p></li></ul><dl><dt>term</dt><dd>text</dd></dl>
<pre><code class="language-ts">const a = \`b\`;\n\`\`\`\n</code></pre><table><thead><tr><th>h</th><th>i</th></tr></thead><tbody><tr><td>1 | 2</td><td>3</td></tr></tbody></table>
<blockquote><p>quote</p></blockquote><div class="admonition note"><p class="admonition-title">Note</p><p>text</p></div><hr><img src="../a.png" alt="A">
<nav>menu</nav><div role="tabpanel" aria-label="npm"><pre>npm i</pre></div><math><mi>x</mi></math><p>設定 ไทย</p>`;
  const { files } = added({ ...SITE, "guide/all.html": page("All", blocks) }, { full: true });
  expect([LLMS_VERSION, hash("sha256", JSON.stringify(files))]).toEqual([
    "2",
    "51f37b32b7e90491bb6a94f981f76ba04099756b011c966b7ff288f387749a66",
  ]);
});
