// What of a page is content, in its Markdown.
import { describe, expect, test } from "vitest";
import { markdownOf } from "./markdownOf.ts";

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
