// Sources that are hostile, or only unlucky: the export completes in time, and its result runs nothing.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "tar";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type RenderOptions, renderSite } from "../../examples/reference-service/index.ts";
import { processorMs } from "../simulation/processorTime.ts";
import { type ExportedSite, exportFiles, listFiles, readPage } from "./exportedSite.ts";

async function contentFiles(site: ExportedSite): Promise<string[]> {
  return (await listFiles(site.folder)).filter((file) => !file.startsWith("assets/") && file !== "404.html");
}

describe("files beside the pages", () => {
  test("that could run scripts under the site's address are left out, and their links become text", async () => {
    const page = "<script>alert(1)</script>";
    const runnable = [
      "evil.html",
      "evil.HTM",
      "evil.xhtml",
      "evil.xml",
      "evil.js",
      "evil.svgz",
      "evil",
      "evil.html.",
    ];
    const site = await exportFiles({
      "index.md": `# Docs\n${runnable.map((name) => `[${name}](${name})`).join(" ")} ![image](evil.html)`,
      ...Object.fromEntries(runnable.map((name) => [name, page])),
    });
    expect(await contentFiles(site)).toEqual(["index.html"]);
    expect(await readPage(site, "index.html")).not.toMatch(/href="evil|src="evil/);
    const reason = "files of this type are not exported, they could run scripts";
    expect(site.warnings).toEqual(runnable.map((name) => `index.md: ${name}: ${reason}`));
  });

  test("are copied byte for byte when they are images, fonts, media, PDFs or plain data", async () => {
    const names = ["a.png", "b.JPG", "c.woff2", "d.mp4", "e.pdf", "f.csv"];
    const site = await exportFiles({
      "index.md": names.map((name) => `[${name}](${name})`).join(" "),
      ...Object.fromEntries(names.map((name) => [name, `${name} <script>`])),
    });
    for (const name of names) expect(await readPage(site, name)).toBe(`${name} <script>`);
    expect(site.warnings).toEqual([]);
  });

  test("that are drawings keep their picture and lose everything that could run or load", async () => {
    const drawing = `<?xml version="1.0"?><?xml-stylesheet href="x.xsl" type="text/xsl"?>
<!DOCTYPE svg [<!ENTITY e "entity">]>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xhtml" viewBox="0 0 9 9" onload="alert(1)">
<defs><linearGradient id="g"><stop offset="1" stop-color="red"/></linearGradient></defs>
<style>.a{fill:url(#g)}</style><style><![CDATA[@import "//evil.example/a.css";]]></style>
<script>alert(2)</script><x:script>alert(3)</x:script><script><![CDATA[alert(4)]]></script>
<a href="javascript:alert(5)"><rect class="a" width="9" height="9" fill="url('#g')" style="fill:url(//evil.example)"/></a>
<image href="https://evil.example/b.png"/><image href="data:image/png;base64,AA=="/><use href="c.svg#d"/>
<set attributeName="href" to="javascript:alert(6)"/>
<foreignObject><div xmlns="http://www.w3.org/1999/xhtml" onclick="alert(7)">a &lt;b&gt;<iframe src="x"></iframe></div></foreignObject>
<text>&e; &amp; words</text></svg>`;
    const site = await exportFiles({ "index.md": "# Docs\n![picture](a.svg)", "a.svg": drawing });
    const svg = await readPage(site, "a.svg");
    expect(svg).not.toMatch(/alert|evil|javascript|script|iframe|<[?!]|onload|c\.svg|<set/);
    expect(svg).toContain('viewBox="0 0 9 9"');
    expect(svg).toContain("<style>.a{fill:url(#g)}</style>");
    expect(svg).toContain(`<rect class="a" width="9" height="9" fill="url('#g')"></rect>`);
    expect(svg).toContain('<image href="data:image/png;base64,AA=="></image>');
    expect(svg).toContain('<div xmlns="http://www.w3.org/1999/xhtml">a &#60;b&#62;');
    expect(svg).toContain("&#38; words</text>");
    expect(site.warnings).toContain("a.svg: <script>: was taken out, the site is to be self-contained");
    expect(site.warnings).toContain(
      "a.svg: onload of <svg>: was taken out, the site is to be self-contained",
    );
  });

  test("that only claim to be drawings are exported empty, with a warning", async () => {
    const site = await exportFiles({
      "index.md": "![a](a.svg)",
      "a.svg": "<html><script>alert(1)</script></html>",
    });
    expect(await readPage(site, "a.svg")).toBe('<svg xmlns="http://www.w3.org/2000/svg"/>\n');
    expect(site.warnings).toEqual(["a.svg: the drawing: is exported empty: it is no SVG"]);
  });
});

describe("srcset", () => {
  test.each([
    ["a.png 1x,https://evil.example/b.png 2x", 'srcset="a.png 1x"'],
    ["https://evil.example/b.png 1x,a.png 640w", 'srcset="a.png 640w"'],
    ["a.png,\n//evil.example/b.png", 'srcset="a.png"'],
    ["a.png 1x,,\t,https://evil.example/b.png", 'srcset="a.png 1x"'],
    ["a.png (,https://evil.example/b.png 2x)", 'srcset="a.png"'],
    ["a.png https://evil.example/b.png", 'srcset="a.png"'],
    ["https://evil.example/b.png,https://evil.example/c.png 2x", ""],
  ])("of %j loads nothing from other hosts, and the image stays", async (srcset, kept) => {
    const site = await exportFiles({
      "index.md": `# Docs\n<img src="a.png" srcset="${srcset}">`,
      "a.png": "a",
    });
    const image = /<img[^>]*>/.exec(await readPage(site, "index.html"))?.[0];
    expect(image).toBe(`<img src="a.png"${kept && ` ${kept}`}>`);
  });
});

describe("names", () => {
  test('that begin with "@" are ordinary files, and never another archive', async () => {
    const folder = await mkdtemp(join(tmpdir(), "archived-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, "secret.txt"), "not meant for readers");
    await create({ cwd: folder, file: join(folder, "evil.tar") }, ["secret.txt"]);
    const archive = await readFile(join(folder, "evil.tar"));
    const site = await exportFiles({
      "index.md": "# Docs\n[page](@scope/page.md) [archive](@evil.tar) [odd](@...md)",
      "@scope/page.md": "# Page",
      "@...md": "# Odd",
      "@evil.tar": archive,
      "secret.txt": "not meant for readers",
    });
    expect(await contentFiles(site)).toEqual(["@...html", "@evil.tar", "@scope/page.html", "index.html"]);
    expect(await readFile(join(site.folder, "@evil.tar"))).toEqual(archive);
  });
});

describe("pages", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "hostile-"));
    await mkdir(join(folder, "source"));
  });

  afterEach(() => rm(folder, { recursive: true }));

  /** Renders one page without a service. */
  async function render(markdown: string, options: Partial<RenderOptions> = {}) {
    await writeFile(join(folder, "source/index.md"), markdown);
    const target = await mkdtemp(join(folder, "site-"));
    const begun = processorMs();
    const site = await renderSite({
      source: join(folder, "source"),
      target,
      name: "docs.example.com",
      ...options,
    });
    return {
      ...site,
      ms: processorMs() - begun,
      page: await readFile(join(target, "index.html"), "utf8"),
    };
  }

  const N = 10_000;
  test.each([
    ["quotes", "> ".repeat(N)],
    ["lists", "- ".repeat(N)],
    ["quotes in lists", "- > ".repeat(N)],
    ["brackets", "[".repeat(N)],
    ["links", `${"[".repeat(N)}x${"](a)".repeat(N)}`],
    ["emphasis", "*a ".repeat(N) + "a* ".repeat(N)],
    ["strong emphasis", "**a ".repeat(N) + "a** ".repeat(N)],
    ["raw HTML", "<div>".repeat(N)],
    ["raw HTML of unknown elements", "<foo>".repeat(N)],
    ["tables", "<table><tr><td>".repeat(N)],
    ["drawings", "<svg>".repeat(N)],
  ])("with a nesting of 10,000 %s are exported, with the text around it", async (_what, markdown) => {
    const { page } = await render(`# Docs\n\nBefore it.\n\n${markdown}\n\nAfter it.`);
    expect(page).toContain("Before it.");
    expect(page).toContain("After it.");
  });

  test("that become far more HTML than they are text fail their export, with a reason", async () => {
    const formats = Array.from({ length: 800 }, (_none, index) => `<b id=x${index}>`).join("");
    await expect(render(`x ${formats}${"<p>x".repeat(800)}`)).rejects.toThrow(
      "index.md: it has more than 500000 HTML elements",
    );
  });

  test("with front matter of 160,000 spaces take no longer than others", async () => {
    const spaces = " ".repeat(160_000);
    const { page, ms } = await render(`---\ntitle: Long${spaces}way\nother:${spaces}\n---\n# Docs`);
    expect(page).toContain("<title>Long");
    expect(ms).toBeLessThan(5_000); // it was a minute
  });

  test("with code that takes too long to highlight are exported, that code plain, the rest highlighted", async () => {
    const slow = "$".repeat(1_990); // PHP's grammar takes seconds for such a line, and there can be any number of them
    const { page, ms, warnings } = await render(
      `# Docs\n\`\`\`php\n<?php\n${`${slow}\n`.repeat(20)}\`\`\`\n\n\`\`\`ts\nconst a = 1;\n\`\`\`\n`,
      { codeTimeLimitMs: 700 },
    );
    expect(page).toContain(`&lt;?php\n${slow}\n`);
    expect(page).toContain('<span class="t-keyword">const</span>');
    expect(warnings).toEqual(["index.md: code in php: stays plain, colouring it takes too long"]);
    expect(ms).toBeLessThan(10_000); // it was minutes
  });

  test("with code that repeatedly takes too long get no more highlighting, so that the next export can begin", async () => {
    const block = `\`\`\`php\n<?php\n${"$".repeat(1_990)}\n\`\`\`\n\n`;
    const { warnings, page } = await render(`# Docs\n${block.repeat(5)}\`\`\`ts\nconst a = 1;\n\`\`\`\n`, {
      codeTimeLimitMs: 50,
    });
    expect(warnings).toHaveLength(1);
    expect(page).not.toContain("t-keyword");
  });

  test("with a code block of more than 100,000 characters keep it plain", async () => {
    const { page } = await render(`# Docs\n\`\`\`ts\n${"const a = 1;\n".repeat(8_000)}\`\`\`\n`);
    expect(page).not.toContain("t-keyword");
  });
});
