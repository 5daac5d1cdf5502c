// Markup that only some generators write.
import { describe, expect, test } from "vitest";
import { markdownOf } from "./markdownOf.ts";

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
