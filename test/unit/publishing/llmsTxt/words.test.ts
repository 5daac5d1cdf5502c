// Words, marks and mathematics within blocks.
import { describe, expect, test } from "vitest";
import { readMarkdown } from "../../../../provider/publishing/llmsTxt/readMarkdown.ts";
import { markdownOf, MATHJAX } from "./markdownOf.ts";

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
