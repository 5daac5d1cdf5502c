// Which pages a search finds, in which encoding and language it reads them, and the title it shows for them.
import { describe, expect, test } from "vitest";
import { packageText } from "../../../../provider/base/runtime/files/packageText.ts";
import { PagesWithAdditions } from "../../../../provider/publishing/additions/pagesWithAdditions.ts";
import { SiteSearch } from "../../../../provider/publishing/offlineSearch/siteSearch.ts";
import { textsLanguageOf } from "../../../../provider/publishing/search/languageVariants.ts";
import { addedTo, find, languagesOf, type PublishedSite, publishedSite } from "./publishedSite.ts";

const page = (title: string, body: string, lang = ""): string =>
  `<!doctype html><html${lang && ` lang="${lang}"`}><head><title>${title}</title></head><body>${body}</body></html>`;
const pathsOf = async (site: PublishedSite, query: string, language = ""): Promise<string[]> =>
  (await find(site, query, language)).map(({ path }) => path).sort();

describe("a page is read in", () => {
  const swapped = (text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le").swap16();

  test.each<[string, Buffer, string]>([
    ["UTF-16, little endian, by its byte order mark", Buffer.from("\ufeff<p>Grüße", "utf16le"), "grüße"],
    ["UTF-16, big endian, by its byte order mark", swapped("<p>Grüße"), "grüße"],
    [
      "UTF-8 after one byte that only begins such a mark",
      Buffer.from("\xff\x00<p>plain word", "latin1"),
      "plain",
    ],
    ["UTF-8 after the other such byte", Buffer.from("\xfe\x00<p>plain word", "latin1"), "plain"],
    [
      "UTF-8 where only the second byte is of such a mark",
      Buffer.from("<\xfe<p>plain word", "latin1"),
      "plain",
    ],
    [
      "UTF-8 where only the second byte is of the other one",
      Buffer.from("<\xff<p>plain word", "latin1"),
      "plain",
    ],
    ["the declared encoding", Buffer.from('<meta charset="windows-1252"><p>Gr\xfc\xdfe', "latin1"), "grüße"],
    [
      "the declared encoding without quotation marks",
      Buffer.from("<meta charset=iso-8859-1><p>Gr\xfc\xdfe", "latin1"),
      "grüße",
    ],
    [
      "the declared encoding with spaces",
      Buffer.from("<meta charset = ' latin1 '><p>Gr\xfc\xdfe", "latin1"),
      "grüße",
    ],
    [
      "the encoding of an older declaration",
      Buffer.from(
        '<meta http-equiv="content-type" content="text/html; charset=windows-1252"><p>Gr\xfc\xdfe',
        "latin1",
      ),
      "grüße",
    ],
    ["UTF-8 without a declaration", Buffer.from("<p>Grüße"), "grüße"],
    [
      "UTF-8 where UTF-16 is declared, which it cannot be",
      Buffer.from("<meta charset=utf-16><p>Grüße"),
      "grüße",
    ],
    [
      "UTF-8 where the declared encoding does not exist",
      Buffer.from("<meta charset=utf-9><p>Grüße"),
      "grüße",
    ],
  ])("%s", async (_, text, word) => {
    const site = await publishedSite({ "a.html": text });
    expect(await pathsOf(site, word)).toEqual(["a.html"]);
    const isUtf16 = text.includes(0) && text.length === 2 * "\ufeff<p>Grüße".length;
    expect(addedTo(site, "a.html", text) === "").toBe(isUtf16);
  });

  test("pieces, if it is long: a word on their border is found, and each section once", async () => {
    const filler = "filler ".repeat(9_362); // the border of the first piece is in the middle of the next word
    const before = "<title>Long</title><main><h2 id=one>One</h2><p>";
    const word = "unmistakable".padStart(65_536 - filler.length - before.length + 6, "x");
    const site = await publishedSite({
      "a.html": `${before}${filler}${word}</p><h2 id=two>Two</h2><p>second</p></main>`,
      "b.html": page("B", "other"),
    });
    expect(await pathsOf(site, word)).toEqual(["a.html"]);
    const [second] = await find(site, "second");
    expect(second).toMatchObject({ anchor: "two", heading: "Two" });
    const texts = [...site.files]
      .filter(([path]) => path.endsWith(".js"))
      .map(([, bytes]) => bytes.toString());
    expect(texts.join("").split('"Two"')).toHaveLength(2);
  });
});

test("a page of more than 16 MiB is neither read nor changed", async () => {
  const limit = 16 * 2 ** 20;
  const sizes: number[] = [];
  const sink = { file: ({ size }: { size: number }) => Promise.resolve(void sizes.push(size)) };
  const { signal } = new AbortController();
  const search = new PagesWithAdditions(
    sink,
    { search: new SiteSearch(sink, {}, () => true, signal) },
    signal,
  );
  const content = (): AsyncIterable<Uint8Array> =>
    [Buffer.from("<p>text")].values() as unknown as AsyncIterable<Uint8Array>;
  await search.file({ path: "long.html", size: limit }, content());
  await search.file({ path: "longer.html", size: limit + 1 }, content());
  const element = '\n<script defer src="docs-hosting-search/load.js"></script>\n';
  expect(sizes).toEqual(["<p>text".length + element.length, limit + 1]);
  expect((await search.finish()).searchPages).toBe(1);
});

describe("pages like those that are treated in their own way", () => {
  test("a page of the name 404.html in a folder, and one whose name only ends so, are ordinary pages", async () => {
    const names = ["guide/404.html", "x404.html", "404.html.html"];
    const site = await publishedSite(
      Object.fromEntries(names.map((name) => [name, page(name, `ordinary ${name}`)])),
    );
    expect(await pathsOf(site, "ordinary")).toEqual(names.toSorted());
    for (const name of names) {
      expect(addedTo(site, name, page(name, `ordinary ${name}`))).toContain("load.js");
    }
  });

  test("404.htm is the page for missing pages, too", async () => {
    const site = await publishedSite({ "404.htm": page("Missing", "nothing") });
    expect(site.pages).toBe(0);
    expect(addedTo(site, "404.htm", page("Missing", "nothing"))).toBe("");
  });

  test("a page in XML ends with .xhtml or .xht", async () => {
    const text = page("A", "text");
    const site = await publishedSite({ "a.xht": text, "b.XHTML": text, "c.xht.html": text });
    for (const name of ["a.xht", "b.XHTML"]) expect(addedTo(site, name, text)).toBe("");
    expect(addedTo(site, "c.xht.html", text)).toContain("load.js");
  });

  test("a file of the search's name is refused, one of a longer name is not", async () => {
    await expect(publishedSite({ "docs-hosting-search": "" })).rejects.toThrow(
      "the site has a file docs-hosting-search,",
    );
    const site = await publishedSite({ "docs-hosting-searches/a.html": page("A", "text") });
    expect(site.pages).toBe(1);
  });
});

describe("a page without a language", () => {
  const of = (lang: string, name: string): [string, string] => [
    `${name}.html`,
    page(name, `common ${name}`, lang),
  ];

  test.each<[string, string, [string, string][]]>([
    [
      "of most pages, though it comes later",
      "fr",
      [of("en", "a"), of("fr", "b"), of("fr", "c"), of("", "d"), of("", "e"), of("", "f")],
    ],
    [
      "of most pages, though it comes first",
      "de",
      [of("de", "a"), of("de", "b"), of("fr", "c"), of("", "d")],
    ],
    ["with the first name, if two have as many pages", "de", [of("fr", "a"), of("de", "b"), of("", "c")]],
  ])("belongs to the language %s", async (_, main, pages) => {
    const site = await publishedSite(Object.fromEntries(pages));
    expect([...languagesOf(site).keys()]).not.toContain("");
    const without = pages.filter(([, text]) => text.includes("<html>")).map(([path]) => path);
    expect(await pathsOf(site, "common", main)).toEqual(expect.arrayContaining(without));
  });

  test("has an index of its own, if no page has a language", async () => {
    const site = await publishedSite(Object.fromEntries([of("", "a"), of("", "b")]));
    expect([...languagesOf(site).keys()]).toEqual([""]);
  });
});

describe("the title of a result is", () => {
  const titleFor = async (pages: Record<string, string>, word: string): Promise<string | undefined> =>
    (await find(await publishedSite(pages), word))[0]?.title;
  const text = (title: string, heading: string, word: string): string =>
    page(title, `<main><p>before</p><h1>${heading}</h1><p>${word}</p></main>`);

  test("the page's own, if no other page has it", async () => {
    const pages = {
      "a.html": text("Install", "First steps", "alpha"),
      "b.html": text("Use", "Every day", "beta"),
    };
    expect(await titleFor(pages, "alpha")).toBe("Install");
  });

  test("its first heading, if another page has the same title, or it has none", async () => {
    const pages = {
      "a.html": text("Overview", "First steps", "alpha"),
      "b.html": text("Overview", "Every day", "beta"),
      "c.html": text("", "Without a title", "gamma"),
      "d.html": text("Other", "Else", "delta"),
    };
    expect(await titleFor(pages, "alpha")).toBe("First steps");
    expect(await titleFor(pages, "beta")).toBe("Every day");
    expect(await titleFor(pages, "gamma")).toBe("Without a title");
    expect(await titleFor(pages, "delta")).toBe("Other");
  });

  test("its own all the same, if it has no heading", async () => {
    const pages = { "a.html": page("Overview", "alpha"), "b.html": page("Overview", "beta") };
    expect(await titleFor(pages, "alpha")).toBe("Overview");
  });
});

test("of equal pages with paths of the same length, the first by name is found", async () => {
  const text = page("Same", "identical");
  for (const names of [
    ["b.html", "a.html"],
    ["a.html", "b.html"],
  ]) {
    const site = await publishedSite(Object.fromEntries(names.map((name) => [name, text])));
    expect(await pathsOf(site, "identical")).toEqual(["a.html"]);
  }
});

describe("the settings of the search box", () => {
  const settingsOf = async (options: object): Promise<Record<string, unknown>> => {
    const site = await publishedSite({ "index.html": page("Start", "text", "en") }, options);
    const load = site.files.get("docs-hosting-search/load.js")?.toString() ?? "";
    const [, json = ""] = /^self\.docsHostingSearchSettings=(.*);\n/.exec(load) ?? [];
    expect(load.slice(load.indexOf("\n") + 1)).toBe(
      packageText("dist/provider/publishing/search/browser/load.js"),
    );
    return JSON.parse(json) as Record<string, unknown>;
  };

  test.for([
    ["zh-TW", "zh", "zh-Hant", "\u641c\u5c0b"],
    ["zh-HK", "zh", "zh-Hant", "\u641c\u5c0b"],
    ["zh-CN", "zh", "zh", "\u641c\u7d22"],
    ["nn", "nn", "nn", "S\u00f8k"],
    ["iw", "iw", "iw", "\u05d7\u05d9\u05e4\u05d5\u05e9"],
    ["pt-PT", "pt", "pt", "Pesquisar"],
    ["tlh", "tlh", "en", "Search"],
  ])(
    "of a site in %s name the box in its own characters",
    async ([language = "", index, shown, search = ""]) => {
      const site = await publishedSite({
        "a.html": page("A", "text", language),
        "b.html": page("B", "c", ""),
      });
      const load = site.files.get("docs-hosting-search/load.js")?.toString() ?? "";
      const [, json = ""] = /^self\.docsHostingSearchSettings=(.*);\n/.exec(load) ?? [];
      const settings = JSON.parse(json) as { labels: Record<string, string>; languages: [string, string][] };
      expect(settings.languages.map(([each]) => each)).toEqual([index]);
      expect(settings.labels[textsLanguageOf(language.toLowerCase())] ?? settings.labels["en"]).toContain(
        search === "\u641c\u7d22" ? "\u526f\u672c" : search.slice(0, 2),
      );
      const own = site.files.get("docs-hosting-search/index.html")?.toString() ?? "";
      expect(own).toContain(`lang="${shown}"`);
      const ascii = search.replace(/[^\0-\x7e]/g, (each) => `&#${each.charCodeAt(0)};`);
      expect(own).toContain(`>${ascii}<`);
    },
  );

  test("have a button, shortcuts, and the search boxes of known generators", async () => {
    const { languages, box, style, ...settings } = await settingsOf({});
    expect(settings).toEqual({
      labels: { en: "Search this copy" },
      button: true,
      shortcuts: true,
      openFrom: [
        ".DocSearch-Button",
        "#local-search button",
        ".navbar__search-input",
        "#search-bar-entry",
        "#search-bar-entry-mobile",
        ".md-search__input",
        "label[for=__search]",
        '[data-bs-target="#mkdocs_search_modal"]',
        '[data-target="#mkdocs_search_modal"]',
        "#rtd-search-form input",
        "#searchbox input",
        "form.sidebar-search-container input",
        '[role="search"] input:not([type=checkbox])',
        '[role="search"] button',
      ],
    });
    expect(languages).toEqual([["en", expect.any(String) as string]]);
    expect([box, style]).toEqual([
      expect.stringMatching(/^box-.*\.js$/),
      expect.stringMatching(/^box-.*\.css$/),
    ]);
  });

  test("are those of the options, with the user's own boxes after the known ones", async () => {
    const settings = await settingsOf({ button: false, shortcuts: false, openFrom: ["#mine"] });
    expect(settings).toMatchObject({ button: false, shortcuts: false });
    expect((settings["openFrom"] as string[]).slice(-2)).toEqual(['[role="search"] button', "#mine"]);
  });
});
