import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { exportFiles, listFiles, readPage } from "./exportedSite.ts";

describe("links", () => {
  test("to Markdown files become links to their pages, in any folder", async () => {
    const site = await exportFiles({
      "README.md": "# Docs\n[deep](a/b/Deep%20page.md#some-part) [folder](a) [bare](a/b/Deep%20page)",
      "a/readme.md": "[up](../README.md) [root](/README.md)",
      "a/b/Deep page.md": "## Some part\n[here](#some-part)",
    });
    const start = await readPage(site, "index.html");
    expect(start).toContain('<a href="a/b/Deep%20page.html#some-part">deep</a>');
    expect(start).toContain('<a href="a/index.html">folder</a>');
    expect(start).toContain('<a href="a/b/Deep%20page.html">bare</a>');
    expect(await readPage(site, "a/index.html")).toContain('<a href="../index.html">up</a>');
    expect(await readPage(site, "a/index.html")).toContain('<a href="../index.html">root</a>');
    expect(await readPage(site, "a/b/Deep page.html")).toContain('<a href="#some-part">here</a>');
    expect(site.warnings).toEqual([]);
  });

  test("that are broken in the source are named with their page, and lead to no missing target", async () => {
    const site = await exportFiles({
      "index.md": "# Docs\n[gone](gone.md) [out](../../etc/passwd) [section](other.md#nope) ![image](no.png)",
      "other.md": "# Other\n[script](<javascript:alert(1)>)",
    });
    expect(site.warnings).toEqual([
      "index.md: gone.md: no such file in the source",
      "index.md: ../../etc/passwd: no such file in the source",
      "index.md: other.md#nope: no such section in other.md",
      "index.md: no.png: no such file in the source",
    ]);
    const start = await readPage(site, "index.html");
    expect(start).toContain('<span class="broken-link">gone</span>');
    expect(start).toContain('<a href="other.html">section</a>');
    expect(start).not.toMatch(/no\.png|passwd/);
    expect(await readPage(site, "other.html")).not.toContain('href="javascript');
  });

  test("ignore letter case in fragments, as code hosts do", async () => {
    const site = await exportFiles({ "index.md": "# Docs\n## A Part\n[part](#A-Part)" });
    expect(await readPage(site, "index.html")).toContain('<a href="#a-part">part</a>');
    expect(site.warnings).toEqual([]);
  });
});

describe("files beside the pages", () => {
  test("are exported when a page refers to them, and only then", async () => {
    const site = await exportFiles({
      "index.md":
        "# Docs\n![dot](images/dot.svg) <img src='images/two.svg' srcset='images/two.svg 2x'> [data](data.csv)",
      "images/dot.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
      "images/two.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
      "data.csv": "a,b",
      "secret.txt": "not meant for readers",
      ".env": "KEY=1",
    });
    const files = (await listFiles(site.folder)).filter((file) => !file.startsWith("assets/"));
    expect(files).toEqual(["404.html", "data.csv", "images/dot.svg", "images/two.svg", "index.html"]);
    expect(await readPage(site, "index.html")).toContain('srcset="images/two.svg 2x"');
  });

  test("on other hosts are not loaded: text or a link replaces them, and a warning informs the author", async () => {
    const badge = "https://img.example/badge.svg";
    const site = await exportFiles({
      "index.md": `# Docs\n![plain](${badge})\n[![linked](${badge})](https://ci.example)\n<img src="//img.example/x.png" alt="raw">`,
    });
    const start = await readPage(site, "index.html");
    expect(start).not.toMatch(/<img/);
    expect(start).toContain(`<a href="${badge}" rel="noopener noreferrer">plain</a>`);
    expect(start).toContain('<a href="https://ci.example" rel="noopener noreferrer"><span>linked</span></a>');
    expect(start).toContain(">raw</a>");
    expect(site.warnings).toEqual([
      `index.md: ${badge}: is on another host, and a self-contained page may not load it`,
      "index.md: //img.example/x.png: is on another host, and a self-contained page may not load it",
    ]);
  });
});

describe("raw HTML", () => {
  test("is kept where it is content", async () => {
    const site = await exportFiles({
      "index.md":
        "# Docs\n<details><summary>More</summary>\n\n**bold** <kbd>Ctrl</kbd>\n\n</details>\n\n<h2 align='center' style='color:red'>Own heading</h2>\n\n<blink>old</blink>",
    });
    const start = await readPage(site, "index.html");
    expect(start).toMatch(
      /<details><summary>More<\/summary>\s*<p><strong>bold<\/strong> <kbd>Ctrl<\/kbd><\/p>/,
    );
    expect(start).toContain('<h2 class="align-center" id="own-heading">');
    expect(start).not.toMatch(/color:red|<blink/);
    expect(start).toContain("old");
  });

  test("that would run or load something is removed, with a warning", async () => {
    const site = await exportFiles({
      "index.md":
        "# Docs\n<script>alert(1)</script>\n\n<iframe src='https://a.example'></iframe>\n\n<p onclick='x()' id=kept>text</p>\n\n<link rel=stylesheet href='https://b.example/x.css'>\n\n<svg onload='x()'><image href='https://c.example'/></svg>\n\n<a href='javascript:x()'>go</a>",
    });
    const start = await readPage(site, "index.html");
    expect(start).not.toMatch(/alert|iframe|onclick|b\.example|c\.example|onload|javascript:/);
    expect(start).toContain('<p id="kept">text</p>');
    expect(site.warnings).toEqual([
      "index.md: <script>: was taken out, the site is to be self-contained",
      "index.md: <iframe>: was taken out, the site is to be self-contained",
      "index.md: <link>: was taken out, the site is to be self-contained",
      "index.md: <svg>: was taken out, the site is to be self-contained",
      "index.md: javascript:x(): links may not use javascript:",
    ]);
  });

  test("with an anchor that its author forgot to close loses no text", async () => {
    const site = await exportFiles({
      "index.md": '# Docs\n<a id="here">\n\ntext with a [link](#here)\n\n## here',
    });
    const start = await readPage(site, "index.html");
    expect(start).toContain('<a href="#here">link</a>');
    expect(start.match(/id="here"/g)).toHaveLength(1);
  });
});

describe("code", () => {
  test("is highlighted by classes, keeps its text, and stays plain in an unknown language", async () => {
    const site = await exportFiles({
      "index.md": "# Docs\n```ts\nconst a = `<b>`;\n\nlet c;\n```\n```klingon\nif <x>\n```\n\n    indented",
    });
    const start = await readPage(site, "index.html");
    expect(start).toContain('data-language="ts"');
    expect(start).toContain('<span class="t-keyword">const</span>');
    expect(start).toContain("if &lt;x&gt;</code>");
    expect(start).toContain("<pre><code>indented</code></pre>");
    const code = /data-language="ts"><pre><code>(.*?)<\/code>/s.exec(start)?.[1] ?? "";
    expect(code.replace(/<[^>]+>/g, "")).toBe("const a = `&lt;b&gt;`;\n\nlet c;");
  });
});

describe("addresses", () => {
  test("never differ only in letter case, so that the archive unpacks on every file system", async () => {
    const site = await exportFiles({
      "index.md": "# Docs\n[a](Guide.md) [b](guide.md)",
      "Guide.md": "# A",
      "guide.md": "# B",
    });
    const pages = (await listFiles(site.folder)).filter((file) => file.endsWith(".html"));
    expect(new Set(pages.map((file) => file.toLowerCase())).size).toBe(pages.length);
    expect(pages).toEqual(["404.html", "Guide.html", "guide-2.html", "index.html"]);
    expect(await readPage(site, "index.html")).toContain('<a href="guide-2.html">b</a>');
  });

  test("keep both a folder's index and its readme", async () => {
    const site = await exportFiles({ "README.md": "# Read me", "index.md": "# Docs" });
    expect(await listFiles(site.folder)).toEqual(expect.arrayContaining(["README.html", "index.html"]));
    expect(await readPage(site, "index.html")).toContain("<title>Docs</title>");
  });

  test("have a start page even where the source has none", async () => {
    const site = await exportFiles({ "guides/one.md": "# One" });
    const start = await readPage(site, "index.html");
    expect(start).toContain("<title>docs.example.com</title>");
    expect(start).toContain('<a href="guides/one.html">One</a>');
    expect(site.pageCount).toBe(2);
  });
});

test("the navigation has pages with an order first, and a folder where the first of its pages would be", async () => {
  const site = await exportFiles({
    "index.md": "# The Manual",
    "a.md": "# A",
    "z.md": "---\norder: 1\n---\n# Z",
    "early/page.md": "# Early page",
    "late/page.md": "---\norder: 2\n---\n# Late page",
    "late/first.md": "---\norder: 1\n---\n# First page",
  });
  const [, navigation = ""] = (await readPage(site, "index.html")).split('aria-label="Pages"');
  const titles = [...navigation.matchAll(/<a href="[^"]*"[^>]*>([^<]+)<\/a>/g)].map(([, title]) => title);
  const order = ["The Manual", "Z", "First page", "Late page", "A", "Early page"];
  expect(titles.slice(0, 6)).toEqual(order);
});

test("the navigation has titles only: a folder is its page, and «previous» and «next» follow it", async () => {
  const site = await exportFiles({
    "index.md": "# The Manual",
    "examples/csharp/README.md": "# With C#",
    "examples/go/README.md": "# With Go",
    "examples/go/deep/one.md": "# One more",
    "guides/first.md": "---\norder: 1\n---\n# First steps",
    "guides/second.md": "---\norder: 2\n---\n# Second steps",
  });
  const [, navigation = ""] = (await readPage(site, "examples/go/index.html")).split('aria-label="Pages"');
  const [list = ""] = navigation.split("</nav>");
  const labels = [...list.matchAll(/<(?:a|summary)\b[^>]*>(?:<span>)?([^<]+)/g)].map(([, label]) => label);
  expect(labels).toEqual([
    ...["The Manual", "Guides", "First steps", "Second steps"],
    ...["Examples", "With C#", "With Go", "Pages below «With Go»", "One more"],
  ]);
  let address = "index.html";
  const visited = [];
  for (;;) {
    const page = await readPage(site, address);
    visited.push(/<title>([^|<]*?)( \|[^<]*)?<\/title>/.exec(page)?.[1]);
    const next = /rel="next" href="([^"]+)"/.exec(page)?.[1];
    if (next === undefined) break;
    address = posix.join(posix.dirname(address), next);
  }
  expect(visited).toEqual(["The Manual", "First steps", "Second steps", "With C#", "With Go", "One more"]);
});

describe("tables", () => {
  const TABLE = "# Docs\n\n## Late\n\n| it says | what to do |\n| - | - |\n";

  test("have an anchor for each row, which no heading and no other row has", async () => {
    const site = await exportFiles({
      "index.md": `${TABLE}| the link … expired | wait |\n| late | hurry |\n| \`late\` | hurry more |\n| … | – |\n| content | – |`,
    });
    const start = await readPage(site, "index.html");
    const rows = [...start.matchAll(/<tr id="([^"]+)">\s*<td[^>]*>.*?<a class="permalink" href="#([^"]+)"/g)];
    const ids = ["the-link-expired", "late-1", "late-2", "content-1"];
    expect(rows.map(([, id, target]) => [id, target])).toEqual(ids.map((id) => [id, id]));
    expect(start).toContain('aria-label="Link to «the link … expired»"');
  });

  test("name the column of each cell, for windows in which they are stacked", async () => {
    const site = await exportFiles({
      "index.md": `${TABLE}| a | b |\n\n<table><tr><th>x</th><th>y</th></tr><tr><td colspan="2">c</td></tr></table>`,
    });
    const start = await readPage(site, "index.html");
    expect([...start.matchAll(/<td data-column="([^"]*)">/g)].map(([, name]) => name)).toEqual([
      "it says",
      "what to do",
    ]);
    expect(start).toContain('<td colspan="2">c');
  });

  test("have long names that go on in the next line only where their parts end", async () => {
    const site = await exportFiles({
      "index.md": `${TABLE}| \`a/folder/someLongName.ts\` | \`short-name\` |`,
    });
    const start = await readPage(site, "index.html");
    expect(start).toContain("<code>a/<wbr>folder/<wbr>some<wbr>Long<wbr>Name.<wbr>ts</code>");
    expect(start).toContain('<code class="unbroken">short-name</code>');
  });
});

test("Titles and descriptions come from front matter, headings, paragraphs or file names", async () => {
  const site = await exportFiles({
    "index.md": "# The Manual\nAll about it.",
    "one.md": '---\ntitle: "Fish & Chips"\ndescription: With <vinegar>\n---\n# Another heading',
    "02-getting-started.md":
      "# The Manual\nThis first paragraph is long enough to say what the page is about.",
  });
  const one = await readPage(site, "one.html");
  expect(one).toContain("<title>Fish &amp; Chips | The Manual</title>");
  expect(one).toContain('<meta name="description" content="With &lt;vinegar&gt;">');
  const two = await readPage(site, "02-getting-started.html");
  expect(two).toContain("<title>Getting started | The Manual</title>");
  expect(two).toContain('content="This first paragraph is long enough');
});

test("the same sources are packed into the same bytes, whatever their folder", async () => {
  const sources = {
    "README.md": "# Docs\n[guide](guide/first.md) ![logo](logo.png)\n",
    "guide/first.md": "# First\n\n```ts\nconst a = 1;\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n",
    "guide/second.md": "# Second\n[up](../README.md)\n",
    "logo.png": Buffer.from([0x89, 0x50, 0x4e, 0x47]),
  };
  const [one, other] = [await exportFiles(sources), await exportFiles(sources)];
  expect(one.pageCount).toBe(3);
  expect(one.archiveSha256).toBe(other.archiveSha256);
});
