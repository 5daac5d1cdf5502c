// Blocks of pages as Markdown: paragraphs, lists, code, tables, notes and tabs.
import { describe, expect, test } from "vitest";
import { markdownOf } from "./markdownOf.ts";

describe("blocks", () => {
  test.each<[string, string, string]>([
    [
      "headings at their levels, with their addresses",
      '<h2 id="a">A <a class="headerlink" href="#a">¶</a></h2><h6>B</h6>',
      "## A {#a}\n\n###### B",
    ],
    ["a heading that links to itself", '<h2><a id="x" href="#x">Title</a></h2>', "## Title {#x}"],
    ["the address of a section around its heading", '<section id="s"><h2>A</h2></section>', "## A {#s}"],
    ["an accordion with its label", "<details><summary>More</summary><p>a</p></details>", "**More**\n\na"],
    ["lists in lists", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"],
    [
      "a numbered list from its start",
      '<ol start="3"><li>a</li><li><p>b</p><p>c</p></li></ol>',
      "3. a\n\n4. b\n\n   c",
    ],
    [
      "a task list",
      '<ul><li><input type="checkbox" checked> a</li><li><input type="checkbox"> b</li></ul>',
      "- [x] a\n- [ ] b",
    ],
    [
      "terms and their definitions",
      '<dl><dt id="f"><code>f()</code></dt><dd><p>a</p><p>b</p></dd></dl>',
      "- **`f()`** {#f}\n\n  a\n\n  b",
    ],
    ["a rule", "<p>a</p><hr><p>b</p>", "a\n\n---\n\nb"],
    ["a line break", "<p>a<br>b</p>", "a\\\nb"],
    ["elements without end tags", "<ul><li>a<li>b</ul><p>c<p>d", "- a\n- b\n\nc\n\nd"],
    ["wrong end tags", "<p><b>a</i></b> c</p></div><p>d</p>", "**a** c\n\nd"],
  ])("%s", (_, html, markdown) => expect(markdownOf(html)).toBe(markdown));
});

describe("code", () => {
  test.each<[string, string, string]>([
    [
      "with the language of Docusaurus",
      '<div class="language-js codeBlockContainer"><pre class="prism-code language-js"><code><span class="token-line">a<br></span><span class="token-line">b<br></span></code></pre><button>Copy</button></div>',
      "```js\na\nb\n```",
    ],
    [
      "with the language of Sphinx, without prompts",
      '<div class="highlight-python notranslate"><div class="highlight"><pre><span></span><span class="gp">&gt;&gt;&gt; </span>f()\n</pre></div></div>',
      "```python\nf()\n```",
    ],
    [
      "of Hugo, without its numbers",
      '<div class="highlight"><table class="lntable"><tr><td class="lntd"><pre><code><span class="lnt">1\n</span></code></pre></td><td class="lntd"><pre><code class="language-go" data-lang="go">x\n</code></pre></td></tr></table></div>',
      "```go\nx\n```",
    ],
    [
      "of VitePress, without its numbers",
      '<div class="language-sh line-numbers-mode"><button class="copy"></button><span class="lang">sh</span><pre class="shiki"><code><span class="line">a</span>\n<span class="line">b</span></code></pre><div class="line-numbers-wrapper"><span>1</span></div></div>',
      "```sh\na\nb\n```",
    ],
    [
      "with lines that are elements",
      '<pre data-language="ts"><code><div class="ec-line"><div class="code">a</div></div><div class="ec-line"><div class="code">  b</div></div></code></pre>',
      "```ts\na\n  b\n```",
    ],
    [
      "of mdBook, whose language is two elements deeper",
      '<pre><pre class="playground"><code class="language-rust editable">a</code></pre></pre>',
      "```rust\na\n```",
    ],
    [
      "with the language of an element around it only if its own elements have none",
      '<div class="language-html"><pre><code class="language-js">a</code></pre></div>',
      "```js\na\n```",
    ],
    ["with fences in it", "<pre>```\na\n```</pre>", "````\n```\na\n```\n````"],
    [
      "as the source of a diagram",
      '<pre class="mermaid">graph TD; A-->B</pre>',
      "```mermaid\ngraph TD; A-->B\n```",
    ],
    [
      "with links in it keeps them",
      '<p><code><a href="m.html">Map</a>&lt;<a href="s.html">S</a>, T&gt;</code> and <code class="m"><span><a href="m.html">m</a></span></code></p>',
      "[`Map`](m.html)`<`[`S`](s.html)`, T>` and [`m`](m.html)",
    ],
    ["in a link is only code", '<p><a href="m.html"><code>a<b>b</b></code></a></p>', "[`ab`](m.html)"],
    [
      "beside code is one span",
      "<p><code>a</code><code>b|</code> <code>c</code>.<code>d</code></p>",
      "`ab|` `c`.`d`",
    ],
    ["with spaces at its ends keeps them outside", "<p>a<code> b </code>c</p>", "a `b` c"],
    [
      "in a term stays a block",
      "<dl><dt><pre>a\n b</pre></dt><dd>c</dd><dt>d</dt></dl>",
      "- ```\n  a\n   b\n  ```\n\n  c\n\n- **d**",
    ],
    ["in a text, with its own marks", "<p><code>a`b</code> <code>`</code></p>", "``a`b`` `` ` ``"],
  ])("%s", (_, html, markdown) => expect(markdownOf(html)).toBe(markdown));
});

describe("tables", () => {
  test.each<[string, string, string]>([
    [
      "with headings",
      "<table><thead><tr><th>A<th>B</thead><tr><td>1|2<td><code>a|b</code></table>",
      "| A | B |\n| --- | --- |\n| 1\\|2 | `a\\|b` |",
    ],
    ["without headings", "<table><tr><td>1</td><td>2</td></tr></table>", "|  |  |\n| --- | --- |\n| 1 | 2 |"],
    [
      "with cells of several lines as HTML",
      "<table><tr><th>A</th></tr><tr><td><p>a</p><ul><li>b<li>c</ul><pre>d\ne</pre></td></tr></table>",
      "| A |\n| --- |\n| a<br><ul><li>b</li><li>c</li></ul><br>`d`<br>`e` |",
    ],
    [
      "with cells that reach over others",
      "<table><tr><th>A<th>B<th>C<tr><td rowspan=2>1<td colspan=2>2<tr><td>3<td>4</table>",
      "| A | B | C |\n| --- | --- | --- |\n| 1 | 2 |  |\n|  | 3 | 4 |",
    ],
    [
      "that only place their cells",
      '<table role="presentation"><tr><td><p>a</p></td><td><h2>b</h2></td></tr></table>',
      "a\n\n## b",
    ],
    [
      "within a cell as HTML",
      "<table><tr><th>K<tr><td><table><tr><th>A</th></tr><tr><td>1</td></tr></table></table>",
      "| K |\n| --- |\n| <table><tr><th>A</th></tr><tr><td>1</td></tr></table> |",
    ],
    [
      "within a list in a cell as HTML",
      "<table><tr><th>K<tr><td><ul><li><table><tr><th>A<tr><td>1</table></ul></table>",
      "| K |\n| --- |\n| <ul><li><table><tr><th>A</th></tr><tr><td>1</td></tr></table></li></ul> |",
    ],
    [
      "with the head above and the foot below, wherever they are",
      "<table><tfoot><tr><td>s</tfoot><thead><tr><th>h</thead><tbody><tr><td>v</table>",
      "| h |\n| --- |\n| v |\n| s |",
    ],
    [
      "that only place a line have that line",
      '<table role="presentation"><tr><td>int<td><a href="#f">f</a> (int x)<tr><td>void<td>g ()</table>',
      "int [f](#f) (int x)\n\nvoid g ()",
    ],
    ["with a caption", "<table><caption>C</caption><tr><th>A<tr><td>1</table>", "C\n\n| A |\n| --- |\n| 1 |"],
  ])("%s", (_, html, markdown) => expect(markdownOf(html)).toBe(markdown));
});

describe("notes", () => {
  test.each<[string, string, string]>([
    [
      "of Docusaurus",
      '<div class="theme-admonition theme-admonition-tip alert"><div class="admonitionHeading_x">tip</div><div class="admonitionContent_y"><p>a</p></div></div>',
      "> **tip**\n>\n> a",
    ],
    [
      "of Sphinx",
      '<div class="admonition warning"><p class="admonition-title">Warning</p><p>a</p></div>',
      "> **Warning**\n>\n> a",
    ],
    [
      "of VitePress",
      '<div class="tip custom-block"><p class="custom-block-title">TIP</p><p>a</p></div>',
      "> **TIP**\n>\n> a",
    ],
    [
      "of Starlight",
      '<aside class="starlight-aside starlight-aside--note"><p class="starlight-aside__title">Note</p><div><p>a</p></div></aside>',
      "> **Note**\n>\n> a",
    ],
    [
      "of GitHub",
      '<div class="markdown-alert markdown-alert-note"><p class="markdown-alert-title">Note</p><p>a</p></div>',
      "> **Note**\n>\n> a",
    ],
    [
      "of Asciidoctor",
      '<div class="admonitionblock note"><table><tr><td class="icon"><div class="title">Note</div></td><td class="content">a</td></tr></table></div>',
      "> **Note**\n>\n> a",
    ],
    ["without a title", '<div class="admonition caution"><p>a</p></div>', "> **Caution**\n>\n> a"],
  ])("%s", (_, html, markdown) => expect(markdownOf(`<main>${html}</main>`)).toBe(markdown));
});

describe("tabs", () => {
  test.each<[string, string, string]>([
    [
      "of Docusaurus",
      '<div class="tabs-container"><ul role="tablist"><li role="tab">npm</li><li role="tab">yarn</li></ul><div><div role="tabpanel">a</div><div role="tabpanel" hidden>b</div></div></div>',
      "**npm**\n\na\n\n**yarn**\n\nb",
    ],
    [
      "with ids",
      '<div><div role="tablist"><button role="tab" aria-controls="p1">A</button><button role="tab" aria-controls="p2">B</button></div><div id="p1" role="tabpanel"><p>a</p></div><div id="p2" role="tabpanel" hidden><p>b</p></div></div>',
      "**A**\n\na\n\n**B**\n\nb",
    ],
    [
      "of Material for MkDocs",
      '<div class="tabbed-set"><input type="radio"><input type="radio"><div class="tabbed-labels"><label>C</label><label>D</label></div><div class="tabbed-content"><div class="tabbed-block"><p>c</p></div><div class="tabbed-block"><p>d</p></div></div></div>',
      "**C**\n\nc\n\n**D**\n\nd",
    ],
    [
      "of VitePress",
      '<div class="vp-code-group"><div class="tabs"><input type="radio"><label>a.js</label><input type="radio"><label>b.js</label></div><div class="blocks"><div class="language-js"><pre>1</pre></div><div class="language-js"><pre>2</pre></div></div></div>',
      "**a.js**\n\n```js\n1\n```\n\n**b.js**\n\n```js\n2\n```",
    ],
    [
      "whose panels alone have labels",
      '<div role="tabpanel" aria-label="Windows"><p>a</p></div><div role="tabpanel" aria-label="a *b*" hidden><p>b</p></div>',
      "**Windows**\n\na\n\n**a \\*b\\***\n\nb",
    ],
    [
      "whose names and not the labels of their panels are shown",
      '<div role="tablist"><button role="tab" aria-controls="p">npm</button></div><div role="tabpanel" id="p" aria-label="x">a</div>',
      "**npm**\n\na",
    ],
    [
      "whose panels are elements of their own",
      '<my-panel role="tabpanel" aria-label="One"><p>a</p></my-panel>',
      "**One**\n\na",
    ],
    [
      "of sphinx-design",
      '<div class="sd-tab-set"><input type="radio"><label class="sd-tab-label">A</label><div class="sd-tab-content"><p>a</p></div><input type="radio"><label class="sd-tab-label">B</label><div class="sd-tab-content"><p>b</p></div></div>',
      "**A**\n\na\n\n**B**\n\nb",
    ],
  ])("%s", (_, html, markdown) => expect(markdownOf(`<main>${html}</main>`)).toBe(markdown));
});
