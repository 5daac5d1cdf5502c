// Markdown of pages' content, case by case: as generators write it, and as nobody should.
import { describe, expect, test } from "vitest";
import { readMarkdown } from "../../../../provider/publishing/llmsTxt/readMarkdown.ts";
import { processorMs } from "../../../simulation/processorTime.ts";

/** The Markdown of a page, with addresses as the page has them. */
function markdownOf(html: string): string {
  return readMarkdown(Buffer.from(html)).markdown.replaceAll("\0", "");
}

describe("content", () => {
  test.each<[string, string, string]>([
    [
      "only the main part",
      "<header>Top</header><nav>Menu</nav><main><h1>A</h1><p>b</p></main><footer>End</footer>",
      "# A\n\nb",
    ],
    ["an element with the role of the main part", '<div>x</div><div role="main"><p>b</p></div>', "b"],
    ["the only article without a main part", "<div>x</div><article><p>b</p></article>", "b"],
    [
      "the body if the title is beside the only article, as JSDoc writes it",
      '<div id="main"><h1>Class: Pear</h1><section><header><h2>Pear</h2></header><article><h4>x</h4><p>b</p></article></section></div>',
      "# Class: Pear {#main}\n\n## Pear\n\n#### x\n\nb",
    ],
    [
      "the only article with its own title, with one above it",
      "<div><h1>Site</h1></div><article><h1>A</h1><p>b</p></article>",
      "# A\n\nb",
    ],
    [
      "the only article below the title of the header",
      "<header><h1>Site</h1></header><div>x</div><article><h2>A</h2><p>b</p></article>",
      "## A\n\nb",
    ],
    [
      "no column of menus beside it, as Qt, TypeDoc and HonKit have them",
      '<div class="navigationbar">Qt 5</div><div class="col-content"><p>b</p></div><div class="col-sidebar"><p>Theme</p></div><div class="book-summary"><ul><li>Two</li></ul></div>',
      "b",
    ],
    [
      "a column with such a class in the main part",
      '<main><div class="page-menu"><p>b</p></div></main>',
      "b",
    ],
    [
      "no menu of a toolbar, as Sphinx Book Theme has it",
      '<main><ul class="dropdown-menu"><li><button>Dark</button></li></ul><div class="only-print"><h1>A</h1></div><h1>A</h1><p>b</p></main>',
      "# A\n\nb",
    ],
    [
      "no path of pages, whatever its class begins with",
      '<main><ul class="tsd-breadcrumb"><li><a href="a.html">Box</a></li></ul><p>b</p></main>',
      "b",
    ],
    [
      "no link to a place on the page that is only an icon",
      '<main><p>Opens <a href="#x" aria-label="Permalink"><svg></svg></a> <a href="x.html" aria-label="Source"><svg></svg></a></p></main>',
      "Opens [Source](x.html)",
    ],
    ["the body without both", "<header>Top</header><div><p>b</p></div><aside>links</aside>", "b"],
    [
      "what a section has beside its text, without a main part",
      '<aside>links</aside><section><header><h2>A</h2></header><p>b</p><aside class="topic"><p>c</p></aside></section>',
      "## A\n\nb\n\nc",
    ],
    [
      "a table of what is related, without the links to related pages",
      '<div class="related"><a href="n.html">next</a></div><table class="related"><tr><th>Modules</th></tr><tr><td>core</td></tr></table>',
      "| Modules |\n| --- |\n| core |",
    ],
    [
      "no scripts, styles, buttons and boxes",
      "<script>1</script><style>p{}</style><p>a</p><button>Copy</button><textarea>t</textarea>",
      "a",
    ],
    [
      "no cookie banner and no search",
      '<div role="dialog">cookies</div><div class="cookie-banner">c</div><form role="search">s</form><main><p>a</p></main>',
      "a",
    ],
    [
      "no navigation inside of the main part",
      '<main><nav class="theme-doc-breadcrumbs">Home</nav><p>a</p><nav>Next</nav></main>',
      "a",
    ],
    [
      "the source of a quotation",
      "<main><blockquote><p>a</p><footer>B</footer></blockquote></main>",
      "> a\n>\n> B",
    ],
    ["the text of a hidden panel", '<main><div role="tabpanel" hidden><p>a</p></div></main>', "a"],
    [
      "a declared shadow root",
      '<main><template shadowrootmode="open"><p>a</p></template><template><p>b</p></template></main>',
      "a",
    ],
  ])("%s", (_, html, markdown) => expect(markdownOf(html)).toBe(markdown));
});

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

describe("words", () => {
  test.each<[string, string, string]>([
    ["marks without the spaces in them", "<p>a<b> b </b>c <i>d</i></p>", "a **b** c *d*"],
    [
      "marks that would not be read",
      "<p><b>«a»</b>b и<b>(c)</b></p>",
      "<strong>«a»</strong>b и<strong>(c)</strong>",
    ],
    [
      "marks beside each other, each with its own",
      "<p><b>a</b><b>b</b> <i>c</i><b>d</b><i>e</i></p>",
      "**a**<strong>b</strong> *c*<strong>d</strong>*e*",
    ],
    [
      "readings behind their characters, between parentheses once",
      "<p><ruby>漢<rt>kan</rt></ruby> <ruby>字<rp>(</rp><rt>ji</rt><rp>)</rp></ruby></p>",
      "漢(kan) 字(ji)",
    ],
    [
      "keys, powers and deleted words",
      "<p><kbd>Ctrl</kbd> x<sup>2</sup> <del>a</del></p>",
      "<kbd>Ctrl</kbd> x<sup>2</sup> ~~a~~",
    ],
    [
      "what would be markup",
      "<p># a *b* _c_ snake_case &lt;T&gt; &amp;amp; [x](y)</p>",
      "\\# a \\*b\\* \\_c\\_ snake_case \\<T> \\&amp; [x\\](y)",
    ],
    ["what would begin a list", "<p>1. a</p><p>- b</p><p>+ c</p>", "1\\. a\n\n\\- b\n\n\\+ c"],
    [
      "links, and images with their texts",
      '<p><a href="b.html#c">b</a> <img src="i.png" alt="An [i]"> <a href="javascript:x">c</a></p>',
      "[b](b.html#c) ![An \\[i\\]](i.png) c",
    ],
    [
      "a link without words has its label",
      '<p><a href="/x" aria-label="Start"><svg><title>t</title></svg></a></p>',
      "[Start](/x)",
    ],
    [
      "mathematics in TeX",
      '<p><span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">x2</span></span></p>',
      "$x^2$",
    ],
    [
      "mathematics that scripts draw",
      '<p><span class="math notranslate">\\(a_b\\)</span></p><div class="math">\\[c\\]</div>',
      "$a_b$\n\n$$\nc\n$$",
    ],
    [
      "the words of a drawing",
      "<figure><svg><style>a{}</style><g><text>Start</text><text>End</text></g></svg></figure>",
      "Start End",
    ],
    [
      "footnotes",
      '<p>a<sup><a href="#fn1" id="fnref1" class="footnote-ref">1</a></sup></p><section class="footnotes"><ol><li id="fn1"><p>b <a class="footnote-backref" href="#fnref1">↩</a></p></li></ol></section>',
      "a[^1]\n\n[^1]: b",
    ],
    [
      "fifteen languages and both directions",
      "<p>Größe · العربية · עברית · 中文 · 日本語 · 한국어 · ไทย · हिन्दी · русский · Ελληνικά · français · español · Türkçe · Tiếng Việt · فارسی</p>",
      "Größe · العربية · עברית · 中文 · 日本語 · 한국어 · ไทย · हिन्दी · русский · Ελληνικά · français · español · Türkçe · Tiếng Việt · فارسی",
    ],
  ])("%s", (_, html, markdown) => expect(markdownOf(html)).toBe(markdown));
});

test.each([
  ["", "utf-8"],
  ["\ufeff", "utf-8"],
  ["", "latin1"],
] as const)("the end of the head is told in bytes, after %j in %s", (mark, encoding) => {
  const html = `${mark}<head><meta charset="${encoding}"><title>äé</title></head><p>a`;
  const bytes = Buffer.from(html, encoding);
  const { headEnd = 0 } = readMarkdown(bytes);
  expect(bytes.toString("latin1", headEnd, headEnd + 7)).toBe("</head>");
});

const MATHJAX = '<script src="https://cdn.example.com/mathjax@3/tex.js"></script>';

describe("mathematics", () => {
  test.each<[string, string, string]>([
    [
      "drawn when the page was built is the TeX of its markup",
      '<p>and <mjx-container jax="SVG"><svg aria-hidden="true"><path></path></svg><mjx-assistive-mml><math><msup><mi>a</mi><mn>2</mn></msup><mo>−</mo><msub><mi>x</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub></math></mjx-assistive-mml></mjx-container>.</p>',
      "and $a^2-x_{ij}$.",
    ],
    [
      "in lines of its own, with fractions, roots, limits and names",
      '<mjx-container display="true"><math><munderover><mo>∑</mo><mn>0</mn><mi>n</mi></munderover><mfrac><mn>1</mn><msqrt><mi>k</mi></msqrt></mfrac><mi>sin</mi><mtext>if {x}</mtext><mroot><mi>y</mi><mn>3</mn></mroot></math></mjx-container>',
      "$$\n∑_0^n\\frac{1}{\\sqrt{k}}\\operatorname{sin}\\text{if \\{x\\}}\\sqrt[3]{y}\n$$",
    ],
    [
      "in a matrix",
      '<p><math><mfenced open="[" close="]"><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable></mfenced></math></p>',
      "$[\\begin{matrix} a & b \\\\ 0 & 1 \\end{matrix}]$",
    ],
    [
      "of Material for MkDocs",
      '<p>a <span class="arithmatex">\\(a_1\\)</span></p><div class="arithmatex">\\[ b \\, c \\]</div>',
      "a $a_1$\n\n$$\nb \\, c\n$$",
    ],
    ["of Asciidoctor", '<div class="stemblock"><div class="content">\\[a_1\\]</div></div>', "$$\na_1\n$$"],
    [
      "in a text that a script reads",
      `${MATHJAX}<p>a \\(x_1 * y\\) b $$c_1$$ d</p><p>$$ e \\, f $$</p><table><tr><th>\\(|a|\\)</table>`,
      "a $x_1 * y$ b $$c_1$$ d\n\n$$\ne \\, f\n$$\n\n| $\\|a\\|$ |\n| --- |",
    ],
    [
      "is no mathematics where no script reads it",
      "<p>Use \\(a_1\\) in sed.</p>",
      "Use \\\\(a_1\\\\) in sed.",
    ],
  ])("%s", (_, html, markdown) => expect(markdownOf(html)).toBe(markdown));

  test("deep in itself takes no time", () => {
    const html = `<math>${"<msup><mrow>".repeat(120)}a${"</mrow><mn>2</mn></msup>".repeat(120)}</math>`;
    expect(markdownOf(html)).toContain("^2");
  });
});

describe("what generators write", () => {
  test.each<[string, string, string]>([
    [
      "Sphinx: a footnote with its label and several links back",
      '<p>a <a class="footnote-reference brackets" href="#n" id="id5" role="doc-noteref"><span class="fn-bracket">[</span>1<span class="fn-bracket">]</span></a></p><p>b <a class="footnote-reference brackets" href="#n" id="id6" role="doc-noteref"><span class="fn-bracket">[</span>1<span class="fn-bracket">]</span></a></p><aside class="footnote-list brackets"><aside class="footnote brackets" id="n" role="note"><span class="label"><span class="fn-bracket">[</span>1<span class="fn-bracket">]</span></span><span class="backrefs">(<a role="doc-backlink" href="#id5">1</a>,<a role="doc-backlink" href="#id6">2</a>)</span><p>Note with a <span class="label">label</span>.</p></aside></aside>',
      "a [^1]\n\nb [^1]\n\n[^1]: Note with a label.",
    ],
    [
      "Asciidoctor: footnotes with their brackets and links back",
      '<p>a<sup class="footnote">[<a id="_footnoteref_1" class="footnote" href="#_footnotedef_1">1</a>]</sup></p><div id="footnotes"><hr><div class="footnote" id="_footnotedef_1"><a href="#_footnoteref_1">1</a>. Note.</div></div>',
      "a[^1]\n\n---\n\n[^1]: Note.",
    ],
    [
      "a note keeps its other links",
      '<p>a<sup id="r"><a class="footnote-ref" href="#n">1</a></sup></p><ol><li id="n">See <a href="#r2">1</a> and <a href="x.html">x</a></li></ol><p id="r2">b</p>',
      "a[^1]\n\n[^1]: See [1](#r2) and [x](x.html)\n\nb",
    ],
    [
      "Asciidoctor: notes with icons and titles",
      '<div class="admonitionblock warning"><table><tr><td class="icon"><i class="fa icon-warning" title="Warning"></i></td><td class="content"><div class="title">Hot</div><p>a</p><ul><li>b</li></ul></td></tr></table></div>',
      "> **Warning: Hot**\n>\n> a\n>\n> - b",
    ],
    [
      "Asciidoctor: lists of tasks with icons",
      '<ul class="checklist"><li><p><i class="fa fa-check-square-o"></i> a</p></li><li><p><i class="fa fa-square-o"></i> b</p></li><li><p><i class="fa fa-star"></i> c</p></li></ul>',
      "- [x] a\n- [ ] b\n- c",
    ],
    [
      "Doxygen: a declaration is a line, without the project's name above and the path below",
      '<div id="titlearea"><div id="projectname">Tides</div></div><div class="contents"><table class="memname"><tr><td class="memname">bool rises</td><td>(</td><td class="paramtype">int&#160;</td><td class="paramname">x</td><td>)</td><td> const</td></tr></table></div><div id="nav-path" class="navpath"><ul><li><a href="t.html">tide</a></li></ul></div>',
      "bool rises ( int x ) const",
    ],
    [
      "Nextra: folders in a tree of files are buttons",
      "<ul><li><button>src</button><ul><li>a.ts</li></ul></li></ul><button>Copy</button>",
      "- src\n  - a.ts",
    ],
    [
      "Starlight: the title of a card stands apart from its description",
      '<p><a href="d.html"><span class="title">Large</span></a><span class="description">For ten.</span></p>',
      "[Large](d.html) For ten.",
    ],
    [
      "VitePress: the name of the language stays out of code alone",
      '<div class="language-sh"><span class="lang">sh</span><pre><code>a</code></pre></div><p><span class="lang">de</span></p>',
      "```sh\na\n```\n\nde",
    ],
  ])("%s", (_, html, markdown) => expect(markdownOf(html)).toBe(markdown));
});

describe("pages that nobody should write", () => {
  test.each<[string, string, RegExp]>([
    ["25,000 levels", "<div>".repeat(25_000) + "deep", /^deep$/],
    ["25,000 quotations", "<blockquote>".repeat(25_000) + "deep", /deep$/],
    ["25,000 tables", "<table><tr><td>1<td>2</table>".repeat(25_000), /\| 1 \| 2 \|/],
    ["25,000 tables in each other", "<table><tr><td>".repeat(25_000) + "deep", /deep/],
    ["25,000 tables in each other with headings", "<table><tr><th>a<td>".repeat(25_000) + "deep", /deep/],
    ["50,000 open marks", "<b><i>".repeat(25_000) + "deep", /deep/],
    ["a line of 1 MB", `<p>${"word ".repeat(200_000)}</p>`, /word$/],
    ["1 MB of spaces", `<p>a${" ".repeat(1_000_000)}b</p>`, /^a b$/],
    ["25,000 line breaks", `<p>a${"<br>".repeat(25_000)}b</p>`, /^a\\\nb$/],
    [
      "a cell that reaches over a million columns",
      '<table><tr><td colspan="1000000">a<td>b</table>',
      /^a b$/,
    ],
    ["25,000 lists of tabs", '<ul role="tablist"><li role="tab">a</ul>'.repeat(25_000), /a/],
    ["25,000 footnotes", `${'<a href="#n" class="footnote-ref">1</a>'.repeat(25_000)}<li id=n>x`, /x/],
    ["25,000 beginnings of mathematics", `${MATHJAX}<p>${"\\\\( $$$ ".repeat(25_000)}b`, /b$/],
    ["25,000 links in code", `<code>${'<a href="x">a</a> '.repeat(25_000)}</code>`, /a`\]\(x\)$/],
    ["code in code in 25,000 levels", `${"<code><span>".repeat(25_000)}<a href="x">b</a>`, /b/],
    ["25,000 spans of code side by side", "<code>a</code>".repeat(25_000), /^`a+`$/],
    ["25,000 levels of mathematics", `${"<math><msup><mrow>".repeat(25_000)}b`, /b/],
    ["an end in a comment", "<p>a</p><!-- ", /^a$/],
  ])("%s are read in a bounded time", (_, html, text) => {
    const started = processorMs();
    expect(markdownOf(html)).toMatch(text);
    expect(processorMs() - started).toBeLessThan(1_500);
  });
});
