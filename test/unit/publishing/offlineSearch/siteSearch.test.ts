import fc from "fast-check";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { describe, expect, test } from "vitest";
import { addedTo, find, languagesOf, publishedSite } from "./publishedSite.ts";

const TAG = '\n<script defer src="docs-hosting-search/load.js"></script>\n';
const page = (title: string, body: string, lang = ""): string =>
  `<!doctype html><html${lang && ` lang="${lang}"`}><head><title>${title}</title></head><body>${body}</body></html>`;

const SITE = {
  "index.html": page("Start | Docs", "<main><h1>Start</h1><p>Welcome to the handbook.</p></main>"),
  "guide/install.html": page(
    "Install | Docs",
    '<main><h1>Install</h1><p>Run the installer.</p><h2 id="proxy">Behind a proxy</h2><p>Set HTTP_PROXY first.</p></main>',
  ),
  "api/index.html": page("API | Docs", "<main><h1>API</h1><p>readFile and max_connections.</p></main>"),
  "assets/app.js": "console.log(1)",
};

describe("the files of a site with a search", () => {
  test("each page keeps its bytes and gets one script element at its end; other files stay", async () => {
    const site = await publishedSite(SITE);
    expect(addedTo(site, "index.html", SITE["index.html"])).toBe(TAG);
    expect(addedTo(site, "guide/install.html", SITE["guide/install.html"])).toBe(
      TAG.replace('"docs', '"../docs'),
    );
    expect(site.files.get("assets/app.js")?.toString()).toBe(SITE["assets/app.js"]);
    expect(site.pages).toBe(3);
  });

  test("the same files give the same bytes in any order", async () => {
    const entries = Object.entries(SITE);
    const contents = async (order: typeof entries): Promise<[string, string][]> =>
      [...(await publishedSite(Object.fromEntries(order))).files]
        .map(([path, bytes]): [string, string] => [path, bytes.toString("hex")])
        .sort(([one], [other]) => (one < other ? -1 : 1));
    const expected = await contents(entries);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(entries, { minLength: entries.length }), async (order) => {
        expect(await contents(order)).toEqual(expected);
      }),
      { numRuns: 10 },
    );
  });

  test("a changed word changes the names of the files that contain it", async () => {
    const names = async (text: string): Promise<string[]> =>
      [...(await publishedSite({ ...SITE, "b.html": page("B", text) })).files.keys()].sort();
    expect(await names("one")).not.toEqual(await names("two"));
    expect(await names("one")).toEqual(await names("one"));
  });

  // the key is a digest of all data: the same on every machine, system and version of Node.js
  test("the index of a fixed site is this one: with another, SEARCH_VERSION must be increased", async () => {
    const text = "İstanbul straße ﬁle 設定 Ångström ไทย readFile max_connections C++ ".repeat(3);
    const site = await publishedSite({ ...SITE, "all.html": page("Ç", `<h2 id="b">${text}</h2>${text}`) });
    expect(languagesOf(site).get("")).toBe("lang-und-c0de7543d2ee11");
  });

  test("pages in any encoding can load the files: each is ASCII or begins with a byte order mark", async () => {
    const text = page("設定", "<p>ネットワーク設定</p>", "ja");
    const site = await publishedSite({ "index.html": text }, { openFrom: ["#süche"] });
    for (const [path, bytes] of site.files) {
      if (!path.startsWith("docs-hosting-search/")) continue;
      const isAscii = bytes.every((byte) => byte < 0x80);
      const hasMark = bytes.subarray(0, 3).equals(Buffer.from("\ufeff"));
      expect({ path, isReadable: isAscii || hasMark }).toEqual({ path, isReadable: true });
    }
    expect(site.files.get("docs-hosting-search/load.js")?.toString()).toContain("#s\\u00fcche");
  });

  test("a site with a folder of the search's name is refused", async () => {
    await expect(publishedSite({ ...SITE, "docs-hosting-search/a.txt": "" })).rejects.toThrow(
      /the site has a file docs-hosting-search\/a\.txt/,
    );
  });

  test.for([
    ["a page", { "a.txt": "text" }],
    ["a page to find", { "index.html": `<meta name="robots" content="noindex">${page("A", "text")}` }],
  ] as const)("a site without %s has a search box that finds nothing", async ([, files]) => {
    const site = await publishedSite(files);
    expect(site.pages).toBe(0);
    expect([...languagesOf(site)]).toEqual([]);
    expect([...site.files.keys()]).toContain("docs-hosting-search/index.html");
  });
});

describe("pages that stay as they are", () => {
  const unchanged: Record<string, string | Buffer> = {
    "in the middle of a script": "<body><script>var a = 1",
    "in the middle of a textarea": "<body><textarea>text",
    "in the middle of a comment": "<body>a<!-- b",
    "in the middle of a tag": '<body><a href="x',
    "in a template": "<body><template><p>a",
    "in an SVG": "<body><svg><g>",
    "after plaintext": "<body><plaintext>a",
    "with a base address": '<head><base href="https://other.example/"></head><body>a',
    "of frames": '<html><frameset cols="1"><frame src="a.html"></frameset></html>',
    "in UTF-16": Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("<body>a", "utf16le")]),
    "in ISO-2022-JP": '<meta charset="iso-2022-jp"><body>a',
  };
  test.for(Object.entries(unchanged))("%s", async ([, text]) => {
    const site = await publishedSite({ "index.html": SITE["index.html"], "a.html": text });
    expect(addedTo(site, "a.html", text)).toBe("");
  });

  test("the page for missing pages, which servers send at any address", async () => {
    const site = await publishedSite({ ...SITE, "404.html": page("Missing", "Nothing here") });
    expect(addedTo(site, "404.html", page("Missing", "Nothing here"))).toBe("");
    expect(await find(site, "nothing here")).toEqual([]);
  });

  test("a page in XML, where nothing may follow the root element; it is found", async () => {
    const text = page("Deed", "unmistakable");
    const site = await publishedSite({ ...SITE, "a.xhtml": text });
    expect(addedTo(site, "a.xhtml", text)).toBe("");
    expect((await find(site, "unmistakable"))[0]?.path).toBe("a.xhtml");
  });
});

test("where an element is added, a browser runs it once, and nothing of the page changes", async () => {
  const scripts = (node: DefaultTreeAdapterTypes.Node): number => {
    const own = node.nodeName === "script" && node.namespaceURI.endsWith("xhtml");
    const children = "childNodes" in node ? node.childNodes : []; // not the content of a template
    return children.reduce((sum, child) => sum + scripts(child), own ? 1 : 0);
  };
  const piece = fc.constantFrom(
    ..."<p> <div> </div> <script> </script> <style> </style> <textarea> </textarea> <title> </title> <svg> </svg> <math> </math> <template> </template> <select> </select> <option> <table> <tr> <td> </table> <!-- --> <a> </a> <noscript> </noscript> <iframe> </iframe> <![CDATA[ ]]> <foreignObject> </foreignObject> <body> </body> </html> text < & <br/> <svg/> <xmp> </xmp> <desc> <mi> <annotation-xml>".split(
      " ",
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(piece, { maxLength: 14 }), { maxLength: 20 }), async (pages) => {
      const texts = pages.map((parts) => `<!doctype html><html><body>${parts.join("")}`);
      const site = await publishedSite(Object.fromEntries(texts.map((text, at) => [`${at}.html`, text])));
      for (const [at, text] of texts.entries()) {
        const added = addedTo(site, `${at}.html`, text);
        if (added !== "") expect(scripts(parse(`${text}${added}`))).toBe(scripts(parse(text)) + 1);
      }
    }),
    { numRuns: 40 },
  );
});

describe("addresses", () => {
  const rooted = (path: string): string => page("A", `<script src="${path}"></script><main>alpha</main>`);

  test("a page that loads from the root of its server gets the element from there, too", async () => {
    const text = rooted("/handbook/assets/app.js?v=1");
    const site = await publishedSite({ ...SITE, "deep/a.html": text });
    expect(addedTo(site, "deep/a.html", text)).toContain('src="/handbook/docs-hosting-search/load.js"');
    const own = await publishedSite({ ...SITE, "deep/a.html": rooted("/assets/app.js") });
    expect(addedTo(own, "deep/a.html", rooted("/assets/app.js"))).toContain(
      'src="/docs-hosting-search/load.js"',
    );
    const other = await publishedSite({ ...SITE, "deep/a.html": rooted("/elsewhere.js") });
    expect(addedTo(other, "deep/a.html", rooted("/elsewhere.js"))).toContain(
      'src="../docs-hosting-search/load.js"',
    );
  });

  test.for([
    ["guide/install", "api/"],
    ["guide/install.html", "api/index.html"],
    ["guide/install/", "api"],
  ])("results have the site's own way of writing them: %s, %s", async ([install = "", api = ""]) => {
    const links = page("Links", `<main>beta<a href="/${install}">a</a><a href="${api}">b</a></main>`);
    const site = await publishedSite({ ...SITE, "links.html": links });
    expect((await find(site, "installer"))[0]?.address).toBe(install);
    expect((await find(site, "readFile"))[0]?.address).toBe(api);
  });
});

describe("what is found", () => {
  test("a section, with its heading, its fragment and a quotation", async () => {
    const [first] = await find(await publishedSite(SITE), "proxy");
    expect(first).toMatchObject({
      title: "Install",
      path: "guide/install.html",
      anchor: "proxy",
      heading: "Behind a proxy",
    });
    expect(first?.excerpt.filter(([, isMatch]) => isMatch)).toEqual([["HTTP_PROXY", true]]);
  });

  test.for([
    ["the whole identifier", "max_connections", "api/index.html"],
    ["a part of an identifier", "connections", "api/index.html"],
    ["a part in capitals and small letters", "read file", "api/index.html"],
    ["the beginning of a word", "instal", "guide/install.html"],
    ["another form of a word", "installed", "guide/install.html"],
    ["a word with one slip of typing", "handbok", "index.html"],
  ])("%s", async ([, query = "", path]) => {
    expect((await find(await publishedSite(SITE), query))[0]?.path).toBe(path);
  });

  test("two words that the page writes as one", async () => {
    const site = await publishedSite({
      "a.html": page("A", "<p>the backup</p>"),
      "b.html": page("B", "<p>the back</p>"),
      "c.html": page("C", "<p>the upper part</p>"),
    });
    expect((await find(site, "back up"))[0]?.path).toBe("a.html");
  });

  test("of a large site, words of most pages neither cost a request nor count nor are marked", async () => {
    const pages = Object.fromEntries(
      Array.from({ length: 120 }, (_, number): [string, string] => [
        `${number}.html`,
        page(`P${number}`, `<p>the page ${number === 7 ? "iota beside the end" : "rest"} and the end</p>`),
      ]),
    );
    const site = await publishedSite(pages);
    const loaded: string[] = [];
    const [first, ...others] = await find(site, "the iota beside the page", "", (name) => loaded.push(name));
    expect(first?.path).toBe("7.html");
    expect(others).toEqual([]);
    expect(first?.excerpt.filter(([, isMatch]) => isMatch).map(([text]) => text)).toEqual(["iota", "beside"]);
    expect(loaded.filter((name) => name.startsWith("words")).length).toBeLessThanOrEqual(2);
    expect(await find(site, "the page")).not.toEqual([]);
  });

  test("a long page with the word in its title among the first, however often many short pages have it", async () => {
    const often = Object.fromEntries(
      Array.from({ length: 8 }, (_, number): [string, string] => [
        `${number}.html`,
        page(`P${number}`, `<p>${"kappa ".repeat(30)}${number}</p>`),
      ]),
    );
    const long = page("All of kappa", `<p>kappa ${"words of a long page ".repeat(100)}</p>`);
    expect((await find(await publishedSite({ ...often, "long.html": long }), "kappa"))[0]?.path).toBe(
      "long.html",
    );
  });

  test("a page that has all of the words, also if most pages have one of them", async () => {
    const pages = Object.fromEntries(
      Array.from({ length: 150 }, (_, number): [string, string] => [
        `${number}.html`,
        page(`P${number}`, `<p>${number < 100 ? "often ".repeat(9) : "rest"} ${number}</p>`),
      ]),
    );
    const both = page("Both", "<p>iota is here, too</p><h2>More</h2><p>often</p>");
    const one = page("One", "<p>iota is here, alone</p>");
    const site = await publishedSite({ ...pages, "one.html": one, "two.html": both });
    expect((await find(site, "iota often"))[0]?.path).toBe("two.html");
  });

  test("a page with the words in the reader's order before one with the same words in another", async () => {
    const site = await publishedSite({
      "a.html": page("A", "<p>order of another reader</p>"),
      "b.html": page("B", "<p>another order of reader</p>"),
    });
    expect((await find(site, "another order"))[0]?.path).toBe("b.html");
    expect((await find(site, "another reader"))[0]?.path).toBe("a.html");
  });

  test("each language in its own index; a page without a language belongs to that of most pages", async () => {
    const site = await publishedSite({
      "index.html": page("Start", "<p>common word</p>", "en-GB"),
      "a.html": page("A", "<p>common alpha</p>", "en"),
      "b.html": page("B", "<p>common beta</p>"),
      "de/index.html": page("Anfang", "<p>common Wörter</p>", "de"),
    });
    expect([...languagesOf(site).keys()]).toEqual(["de", "en"]);
    expect((await find(site, "common", "en")).map(({ path }) => path).sort()).toEqual([
      "a.html",
      "b.html",
      "index.html",
    ]);
    expect((await find(site, "worter", "de")).map(({ path }) => path)).toEqual(["de/index.html"]);
  });

  test("words in scripts without spaces, by any two neighbouring characters", async () => {
    const site = await publishedSite({ "index.html": page("設定", "<p>ネットワーク設定の方法</p>", "ja") });
    expect((await find(site, "ネットワーク設定", "ja"))[0]?.excerpt).toContainEqual([
      "ネットワーク設定",
      true,
    ]);
    expect(await find(site, "設定", "ja")).toHaveLength(1);
  });

  test("equal pages once, by the shortest path", async () => {
    const text = page("Same", "<p>identical</p>");
    const site = await publishedSite({
      "a/index.html": text,
      "a.html": text,
      "index.html": SITE["index.html"],
    });
    expect((await find(site, "identical")).map(({ path }) => path)).toEqual(["a.html"]);
  });

  test("neither pages that ask to be left out, nor excluded ones, nor what surrounds the content", async () => {
    const site = await publishedSite(
      {
        "index.html": page("Start", "<nav>gamma</nav><main>alpha</main><footer>gamma</footer>"),
        "hidden.html": page("A", "gamma").replace(
          "<title>",
          '<meta name="robots" content="noindex, follow"><title>',
        ),
        "moved.html": '<meta http-equiv="refresh" content="0; url=index.html"><p>gamma</p>',
        "part.html": page(
          "Part",
          "<p>delta</p><div data-pagefind-ignore><div>gamma</div></div><script>gamma</script>",
        ),
        "v1/old.html": page("Old", "gamma"),
      },
      { exclude: ["/v1/**"] },
    );
    expect(await find(site, "gamma")).toEqual([]);
    expect(site.pages).toBe(2);
  });

  test("a page that reads itself again, by any of its addresses", async () => {
    const refreshed = (address: string): string =>
      `<html><meta http-equiv="refresh" content="0; url=${address}"><p>gamma</p></html>`;
    const site = await publishedSite({
      "a.html": refreshed("a.html"),
      "b.html": refreshed("./b").replace("gamma", "gamma delta"),
      "c.html": refreshed("a.html").replace("gamma", "gamma epsilon"),
    });
    expect((await find(site, "gamma")).map(({ path }) => path).sort()).toEqual(["a.html", "b.html"]);
  });

  test("words that are properties of every object", async () => {
    const site = await publishedSite({ "index.html": page("__proto__", "<p>constructor toString</p>") });
    for (const word of ["__proto__", "constructor", "toString"]) {
      expect(await find(site, word)).toHaveLength(1);
    }
  });

  test("markup in the text of a page stays text", async () => {
    const text = page("T", "<p>zeta &lt;img src=x onerror=alert(1)&gt; &lt;/script&gt; \u2028 \u202e</p>");
    const site = await publishedSite({ "index.html": text });
    const [result] = await find(site, "zeta");
    expect(result?.excerpt.map(([piece]) => piece).join("")).toContain(
      "<img src=x onerror=alert(1)> </script>",
    );
    for (const [path, bytes] of site.files) {
      if (path.endsWith(".js")) expect(bytes.toString()).not.toMatch(/[\u2028\u2029]/);
    }
  });
});

test("a quotation from a long page ends with a whole word, and says that there is more", async () => {
  const sections = Array.from(
    { length: 60 },
    (_, number) => `<h2>H${number}</h2><p>${"several words ".repeat(60)}`,
  );
  const site = await publishedSite({ "index.html": page("Long", `<p>alpha ${sections.join("")}`) });
  const [result] = await find(site, "H40");
  const text = result?.excerpt.map(([piece]) => piece).join("") ?? "";
  expect(text.length).toBeGreaterThan(100);
  expect(text).toMatch(/^(?:several words )+(?:several )?…$/);
});
