import { describe, expect, test } from "vitest";
import { PageReader, type PageText } from "../../../../provider/publishing/sitePages/pageText.ts";

/** @param size of the pieces that the page comes in, in characters */
function read(html: string, size = html.length): PageText {
  const reader = new PageReader();
  for (let from = 0; from < html.length; from += size) reader.write(html.slice(from, from + size));
  return reader.end();
}

/** The sections of a page, each as `#anchor heading: text`. */
function sections(html: string): string[] {
  return read(html).sections.map(({ anchor, heading, text }) => `#${anchor} ${heading}: ${text}`);
}

describe("the title of a page", () => {
  test.for([
    ["in one line", "<title>\n A &amp;\n  B </title>", "A & B"],
    ["the first one", "<title>A</title><title>B</title>", "A"],
    ["not that of a picture", "<svg><title>Picture</title></svg><title>A</title>", "A"],
    ["none", "<h1>A</h1>", ""],
  ] as const)("is %s", ([, html, title]) => expect(read(html).title).toBe(title));

  test("is no text of the page", () => expect(sections("<title>A</title><p>B</p>")).toEqual(["# : B"]));
});

test.for([
  ["en", "en"],
  ["DE-at", "de-at"],
  ["pt_BR", "pt-br"],
  ["zh-Hant-TW", "zh-hant-tw"],
  ["gsw", "gsw"],
  ["english", ""],
  ["x-klingon", ""],
  ["", ""],
])("the language %s is %s", ([tag = "", language = ""]) =>
  expect(read(`<html lang="${tag}"><p>A</p>`).language).toBe(language),
);

test("a page that does not say its language has none", () =>
  expect(read("<html><p>A</p>").language).toBe(""));

describe("sections", () => {
  test.for([
    ["the id of the heading", '<h2 id="b">B</h2>c', ["#b B: c"]],
    ["the id of an element in the heading", '<h2><a id="b"></a>B</h2>c', ["#b B: c"]],
    ["the name of a link in the heading", '<h2><a name="b">B</a></h2>c', ["#b B: c"]],
    ["the id of an element just before it", '<div id="b">\n<h2>B</h2>c</div>', ["#b B: c"]],
    ["the first of several ids", '<h2 id="b"><a id="x"></a>B</h2>c', ["#b B: c"]],
    ["no id with a text between", '<div id="b">a<h2>B</h2>c</div>', ["# : a", "# B: c"]],
    ["no name of other elements", '<h2><b name="b">B</b></h2>c', ["# B: c"]],
    ["the nearest id before, without an own one", '<h2 id="a">A</h2><h3>B</h3>c', ["#a A: ", "#a B: c"]],
    ["no id of a field", '<div><input id="q"></div><h2>B</h2>c', ["# B: c"]],
    ["that of an accordion", '<details id="q"><summary>Q</summary>a</details>b', ["#q Q: a", "# : b"]],
  ] as const)("have as their anchor %s", ([, html, expected]) => expect(sections(html)).toEqual(expected));

  test("begin at each heading, also at one that is not closed", () => {
    const html = "a<h1>H1</h1>b<h2>H2</h2>c<h6>H6</h6>d<h3>H3<h4>H4</h4>e<h7>f</h7>";
    expect(sections(html)).toEqual(["# : a", "# H1: b", "# H2: c", "# H6: d", "# H3: ", "# H4: e f"]);
  });

  test("begin at each term that has an id", () => {
    const html = '<dl><dt id="f"><code>f(x)</code><dd>A <dt>no heading<dd>B</dl>';
    expect(sections(html)).toEqual(["#f f(x): A no heading B"]);
  });

  test("have headings without the symbols of permalinks, of 200 characters at most", () => {
    expect(sections("<h2>§ Install <a>¶</a></h2>a")).toEqual(["# Install: a"]);
    expect(sections("<h2># C#\u200b</h2>a")).toEqual(["# C: a"]);
    expect(read(`<h2>${"a".repeat(300)}</h2>`).sections[0]?.heading).toHaveLength(200);
  });

  test("without a heading and a text are left out", () => expect(sections("<h2></h2> <p></p>")).toEqual([]));
});

describe("a row of a table with an id", () => {
  const table = (rows: string): string[] =>
    sections(`<h2 id="h">H</h2>A<table><thead><tr><th>K<th>V</thead>${rows}</table>B`);

  test("is a section if its first cell links to it", () => {
    const rows =
      '<tr id="r1"><td>one <a href="#r1">#</a></td><td>first</td></tr><tr id="r2"><td><a href="#r2">two</a></td><td>second</td></tr>';
    expect(table(rows)).toEqual(["#h H: A K V", "#r1 one: first", "#r2 two: second", "#h : B"]);
  });

  test("is a section without end tags, and what follows rows belongs to the section before them", () => {
    const rows = '<tr id="r1"><td>one <a href="#r1">#</a><td>first<tr><td>no<td>id';
    expect(table(rows)).toEqual(["#h H: A K V", "#r1 one: first", "#h : no id B"]);
  });

  test("is none without such a link: generators give ids to rows that nobody refers to", () => {
    const rows = '<tr id="r1"><td>void</td><td><a href="#f">f</a></td></tr>';
    expect(table(rows)).toEqual(["#h H: A K V void f B"]);
  });

  test("keeps a long first cell as text", () => {
    const long = "word ".repeat(60).trim();
    const rows = `<tr id="r1"><td>${long} <a href="#r1">#</a></td><td>first</td></tr>`;
    expect(table(rows)).toEqual(["#h H: A K V", `#r1 : ${long} # first`, "#h : B"]);
  });
});

describe("text", () => {
  test.for([
    ["is together where a word has elements within it", "in<b>valid</b>a<wbr>tion", "invalidation"],
    ["is apart at other elements", "<p>a</p><p>b</p><ul><li>c<li>d</ul>e<br>f<img>g", "a b c d e f g"],
    ["has single spaces", "a \n\t b&nbsp;c", "a b c"],
    ["ends with the page, also within an element", "a <em>b", "a b"],
    ["is not that of a comment", "a<!-- no -->b", "ab"],
    ["is that of unknown elements", "<x-tabs>a</x-tabs>", "a"],
    ["has no null characters", "a\0b", "ab"],
  ] as const)("%s", ([, html, text]) => expect(sections(html)).toEqual([`# : ${text}`]));

  test.for(
    "script style noscript template svg math iframe object canvas audio video textarea select button datalist dialog nav rt".split(
      " ",
    ),
  )("is not that of %s", (name) => expect(sections(`a <${name}>no</${name}> b`)).toEqual(["# : a b"]));

  test.for(["header", "footer", "form"])("is that of %s only in the main part", (name) => {
    expect(sections(`a <${name}>no</${name}> b`)).toEqual(["# : a b"]);
    expect(sections(`<main>a <${name}>yes</${name}> b</main>`)).toEqual(["# : a yes b"]);
  });

  test.for([
    'class="navheader"',
    'class="x sphinxsidebar y"',
    'class="TOC"',
    'class="breadcrumb"',
    'class="breadcrumbs"',
    'class="sr-only"',
    'role="navigation"',
    'role="Search"',
    'role="banner"',
    'role="contentinfo"',
    'aria-hidden="true"',
    'hidden role="dialog"',
    'hidden role="status"',
    "data-pagefind-ignore",
  ])("is not that of an element with %s", (attribute) => {
    expect(sections(`a <div ${attribute}><div>no</div> no</div> b`)).toEqual(["# : a b"]);
  });

  test.for(['class="tocsin"', 'class="my-toc"', 'role="note"', 'aria-hidden="false"', 'class=""'])(
    "is that of an element with %s",
    (attribute) => expect(sections(`a <div ${attribute}>yes</div>`)).toEqual(["# : a yes"]),
  );

  test("is not cut off by an element that has no end tag", () => {
    for (const tag of ["p", "li", "dt", "dd", "tr", "td", "th", "body", "img", "input", "br"]) {
      expect(sections(`<${tag} aria-hidden="true">a <b>b</b>`), tag).toEqual(["# : a b"]);
    }
  });
});

describe("the main part", () => {
  test.for(["main", 'div role="main"', "div data-pagefind-body"])(
    "is <%s>, and all else is left out",
    (tag) => {
      const [name] = tag.split(" ");
      const html = `no <${tag} id="m">a <${name}>b</${name}> c</${name}> no <h2>no</h2>`;
      expect(sections(html)).toEqual(["#m : a b c"]);
    },
  );

  test("may consist of several elements", () => {
    expect(sections('no<main>a</main>no<main><h2 id="b">B</h2>b</main>no')).toEqual(["# : a", "#b B: b"]);
  });

  test("is not one that is left out", () =>
    expect(sections('a<div aria-hidden="true"><main>no</main></div>')).toEqual(["# : a"]));
});

describe("what scripts show later", () => {
  test.for([
    ["Docusaurus", '<div role="tabpanel">a</div><div role="tabpanel" hidden>b</div>'],
    [
      "Starlight",
      '<div role="tabpanel">a</div><div id="t" aria-labelledby="u" role="tabpanel" hidden>b</div>',
    ],
    ["sphinx-tabs", '<div role="tabpanel">a</div><div class="sphinx-tabs-panel" hidden="true">b</div>'],
    ["Radix", '<div data-state="active">a</div><div data-state="inactive" hidden="">b</div>'],
    ["a browser", '<div>a</div><div hidden="until-found">b</div>'],
    ["jQuery UI", '<div>a</div><div role="tabpanel" aria-hidden="true">b</div>'],
    ["React, in pieces", '<div>a</div><div hidden id="S:0">b</div>'],
    ["a custom element", '<x-tabs>a <template shadowrootmode="open">b</template></x-tabs>'],
  ] as const)("is text: the panels of %s", ([, html]) => expect(sections(html)).toEqual(["# : a b"]));

  test("is text where a button names the panel that it opens, but not the menu", () => {
    const panel = '<div id="p" aria-hidden="true">b</div>';
    expect(sections(`<a aria-controls="p">a</a>${panel}`)).toEqual(["# : a b"]);
    expect(sections(`<a aria-controls="p" aria-haspopup="menu">a</a>${panel}`)).toEqual(["# : a"]);
  });

  test("a panel that is hidden from screen readers is content if a link of the page leads to it", () => {
    const panel = '<div id="p" aria-hidden="true">b</div>';
    expect(sections(`<a href="#p">a</a>${panel}`)).toEqual(["# : a b"]);
    expect(sections(`<a data-bs-target="#p">a</a>${panel}`)).toEqual(["# : a b"]);
    expect(sections(`<a href="#q">a</a>${panel}`)).toEqual(["# : a"]);
    // the sign beside a heading leads to itself
    expect(sections('<h2 id="h">a<a id="p" href="#p" aria-hidden="true">#</a></h2>b')).toEqual(["#h a: b"]);
  });

  test.for([
    ["tablinks", 'class="tablinks active"', true],
    ["a tab of Bootstrap", 'data-bs-toggle="tab"', true],
    ["a part of an older accordion", 'data-toggle="collapse"', true],
    ["a block of a tab list", 'class="c-tabs__button"', true],
    ["an accordion", 'class="accordion"', true],
    ["what copies", 'class="tabs-copy"', false],
    ["a table's", 'class="table-button"', false],
    ["what opens a window", 'data-bs-toggle="modal"', false],
    ["a menu of tabs", 'class="tab" aria-haspopup="menu"', false],
  ] as const)("a button without a role that is named as %s is content: %s", ([, attributes, isContent]) => {
    expect(sections(`a <button ${attributes}>b</button> c`)).toEqual([isContent ? "# : a b c" : "# : a c"]);
  });

  test.for([
    ["a button in it", '<h2 id="q"><button aria-expanded="false">Q</button></h2>a', ["#q Q: a"]],
    ["a plain button in it", '<h2 id="q"><button>Q</button></h2>a', ["#q Q: a"]],
    ["its text without another button", '<h3 id="q">Q <button>Copy</button></h3>a', ["#q Q: a"]],
    ["its whole text", '<h3>1. <button aria-controls="x">Q</button></h3>a', ["# 1. Q: a"]],
  ] as const)("has as its heading %s", ([, html, expected]) => expect(sections(html)).toEqual(expected));

  test("has its name: a tab and the button of an accordion are text, other buttons are not", () => {
    const html = '<button role="tab">a</button><button aria-expanded="false">b</button><button>no</button>';
    expect(sections(html)).toEqual(["# : a b"]);
    expect(sections('a<button aria-expanded="false" aria-haspopup="menu">no</button>')).toEqual(["# : a"]);
  });
});

describe("a heading in a tab that is not selected", () => {
  test.for([
    ["has the nearest address that browsers show", '<div hidden><h3 id="t">T</h3>b</div>', "#h T: b"],
    ["also with an id in the heading", '<div hidden><h3><a id="t"></a>T</h3>b</div>', "#h T: b"],
    ["also in a panel within a panel", '<div hidden><div><i>x</i></div><h3 id="t">T</h3>b</div>', "#h T: b"],
    ["has its own where browsers open it", '<div hidden="until-found"><h3 id="t">T</h3>b</div>', "#t T: b"],
    ["has its own behind the tab", '<div hidden>x</div><h3 id="t">T</h3>b', "#t T: b"],
  ] as const)("%s", ([, html, expected]) =>
    expect(sections(`<h2 id="h">H</h2>a${html}`).at(-1)).toBe(expected),
  );
});

describe("characters that nobody sees", () => {
  test.for([
    ["a place for a hyphen", "Daten&shy;bank"],
    ["a place for a line break", "Daten&#8203;bank"],
    ["an element for a line break", "Daten<wbr>bank"],
    ["a word joiner", "Daten&#x2060;bank"],
  ] as const)("are left out: %s", ([, html]) => expect(sections(html)).toEqual(["# : Datenbank"]));

  test.for([
    "<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>です",
    "<ruby>漢<rt>かん<rb>字<rt>じ</ruby>です",
    "<ruby>漢字<rp>(<rt>かんじ<rp>)</ruby>です",
  ])("are those of readings beside a word: %s", (html) => expect(sections(html)).toEqual(["# : 漢字です"]));
});

describe("outside of the main part", () => {
  test("a note is text, a list of links is not", () => {
    expect(sections("a<aside>A note with <a>one link</a>.</aside>b")).toEqual([
      "# : a A note with one link. b",
    ]);
    expect(sections("a<aside><a>one</a> <a>two</a></aside>b")).toEqual(["# : a b"]);
  });

  test.for([
    ["is content in a note of links alone", '<aside class="admonition note"><a>one</a></aside>', ["# : one"]],
    ["is content as a topic of links alone", '<aside class="topic"><p><a>one</a></p></aside>', ["# : one"]],
    [
      "is content in a sidebar of the main part",
      '<main><aside class="sidebar">A note</aside>',
      ["# : A note"],
    ],
    [
      "is none as a sidebar of links",
      '<main>a<aside class="sidebar"><a>one</a></aside>b</main>',
      ["# : a b"],
    ],
    ["is none beside the page", '<div class="sidebar">one</div>b', ["# : b"]],
  ] as const)("%s", ([, html, found]) => expect(sections(html)).toEqual(found));

  test.for([
    ["a table of related things is content", '<table class="related"><td>mod_ssl</table>', ["# : mod_ssl"]],
    ["also in a section", '<section>a<table class="x related"><td>b</table></section>', ["# : a b"]],
    ["links to the pages around are none", '<div class="related">Next</div>a', ["# : a"]],
    [
      "the header of a section has its heading",
      "<section><header><h2>A</h2></header>b</section>",
      ["# A: b"],
    ],
    ["so has that of an article", "<article><header><h1>A</h1></header>b</article>", ["# A: b"]],
    ["the header of the page is none", "<header><h1>A</h1></header><section>b</section>c", ["# : b c"]],
    ["a column of menus is none", '<div class="col-sidebar">Theme</div>b', ["# : b"]],
    ["it is content in the main part", '<main><div class="page-menu">b</div></main>', ["# : b"]],
    ["a menu that opens is none", '<main>a<ul class="dropdown-menu"><li>Dark</ul></main>', ["# : a"]],
    ["what only paper shows is none", '<main><div class="only-print">x</div>a</main>', ["# : a"]],
    ["a main part can have any class", '<main class="sidebar toc">a</main>', ["# : a"]],
  ] as const)("%s", ([, html, found]) => expect(sections(html)).toEqual(found));

  test("a form with a heading or a long text is text, and so is one without anything around it", () => {
    expect(sections('<form><h1 id="t">T</h1>a</form>')).toEqual(["#t T: a"]);
    expect(sections(`a<form>${"word ".repeat(50)}</form>`)[0]).toContain("word word");
    expect(sections("<form>a</form>")).toEqual(["# : a"]);
    expect(sections("a<form>E-mail <input></form>b")).toEqual(["# : a b"]);
  });

  test("a form around the main part does not hide it", () =>
    expect(sections("<form>no<main>a</main>no</form>")).toEqual(["# : a"]));
});

test.for([
  ['<meta name="robots" content="noindex">', true],
  ['<meta name="ROBOTS" content="nofollow, NOINDEX">', true],
  ['<meta name="robots" content="noindex nofollow">', true],
  ['<meta name="googlebot" content="none">', true],
  ['<meta name="robots" content="index, follow, max-image-preview:none">', false],
  ['<meta name="robots" content="max-image-preview: none">', false],
  ['<meta name="robots" content="nonetheless">', false],
  ['<meta name="robots" content="index">', false],
  ['<meta name="my-robots" content="noindex">', false],
  ['<meta name="robots-x" content="noindex">', false],
  ['<meta name="robots">', false],
  ['<p name="robots" content="noindex">', false],
] as const)("a page with %s asks to be left out: %s", ([html, isNoindex]) =>
  expect(read(html).isNoindex).toBe(isNoindex),
);

test("the nonce of a page's scripts is that of the first one that has one", () => {
  expect(read('<script>1</script><script nonce="abc">2</script><script nonce="d">3</script>').nonce).toBe(
    "abc",
  );
  expect(read('<link nonce="abc">').nonce).toBe("");
});

test.for([
  ["at the end of content", "<main>a</main></body></html>", true],
  ["after elements that are closed", "<select></select><template></template><svg></svg>", true],
  ["with an end tag too many", "</template></select>a", true],
  ["with a base that has no address", '<base target="_top">', true],
  ["with a base", '<base href="https://example.com/">', false],
  ["with a base and another without an address", '<base href="/"><base target="_top">', false],
  ["with frames", "<frameset>", false],
  ["within a template", "<template><p>", false],
  ["within two templates, of which one is closed", "<template><template></template>", false],
  ["within a selection", "<select><option>", false],
  ["within a comment", "<!-- a", false],
  ["within a tag", "<p class='", false],
  ["within a script", "<script>a", false],
  ["within a picture", "<svg><g>", false],
] as const)("an element can be added %s: %s", ([, html, canAppend]) =>
  expect(read(html).canAppend).toBe(canAppend),
);

describe("addresses", () => {
  test("are those of links, wherever they are", () => {
    expect(read('<nav><a href="a.html">a</a></nav><a>b</a><a href="">c</a>').links).toEqual(["a.html", ""]);
  });

  test("of scripts and styles count if they start with one slash", () => {
    const html =
      '<script src="/a.js"></script><link href="/b.css"><script src="c.js"></script><link href="//d/e.css"><script href="/f.js"></script><link src="/g.css"><link href="x/h.css"><link href="/">';
    expect(read(html).rootedLoads).toEqual(["/a.js", "/b.css"]);
  });

  test("are 500 of each kind at most", () => {
    const { links, rootedLoads } = read('<a href="a"></a><link href="/b">'.repeat(600));
    expect([links.length, rootedLoads.length]).toEqual([500, 500]);
  });
});

test("a page in pieces of any size is the same", () => {
  const html =
    '<!doctype html><html lang="en"><title>A &amp; B</title><main id="m"><h1 id="a">A</h1><p>a<b>b</b>c &eacute;</p></main><script src="/a.js">x</script>';
  const whole = read(html);
  for (const size of [1, 2, 7, 30]) expect(read(html, size)).toEqual(whole);
});
