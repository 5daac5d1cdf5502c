// Index and search together, without pages of HTML and without a browser.
import { describe, expect, test } from "vitest";
import { type Result, search } from "../../../../provider/publishing/search/browser/query.ts";
import type { Section } from "../../../../provider/publishing/search/sections.ts";
import { TextIndex } from "../../../../provider/publishing/search/textIndex.ts";
import { indexFiles } from "./indexFiles.ts";

/** Texts by the path of their page; a section may have a heading and an anchor. */
type Texts = Readonly<Record<string, string | readonly Section[]>>;

interface Asked {
  readonly results: readonly Result[];
  readonly paths: readonly string[];
  /** The keys of the files that were loaded for it. */
  readonly loaded: readonly string[];
}

const titled = (path: string): string => path.replace(/\.html$/, "");

async function ask(texts: Texts, query: string, titleOf = titled): Promise<Asked> {
  const index = new TextIndex();
  for (const [path, text] of Object.entries(texts)) {
    const sections = typeof text === "string" ? [{ anchor: "", heading: "", text }] : text;
    index.add(path, titleOf(path), sections);
  }
  const { list, parts } = indexFiles(index, "en", (path) => `at/${path}`);
  const loaded: string[] = [];
  const load = (key: string): Promise<unknown> => {
    loaded.push(key);
    const { text = "" } = [list, ...parts].find((file) => file.key === key) ?? {};
    return Promise.resolve((JSON.parse(/\.push\((.*)\)\n$/s.exec(text)?.[1] ?? "") as unknown[])[1]);
  };
  const results = await search(query, list.key, load);
  return { results, paths: results.map(({ path }) => titled(path)), loaded };
}

describe("a word finds", () => {
  test.for([
    [
      "itself before a longer one, while it is typed",
      "inst",
      ["same", "longer"],
      { same: "inst", longer: "installation" },
    ],
    [
      "a longer one only as the last word, which may be unfinished",
      "inst alpha",
      ["a", "b"],
      { a: "alpha", b: "alpha installation" },
    ],
    ["a longer one as the last word", "alpha inst", ["b", "a"], { a: "alpha", b: "alpha installation" }],
    ["its other forms", "configured x", ["a"], { a: "configuration", b: "confident" }],
    ["its shorter form", "installations x", ["a"], { a: "installation" }],
    ["no word of which less than 60 % is the same", "internal x", [], { a: "international" }],
    ["the plural of three letters, and no other form of them", "log x", ["a"], { a: "logs", b: "logic" }],
    ["no other form of two letters", "go x", [], { a: "gos", b: "good" }],
    ["accents and case apart, the same word", "ÉCOLE x", ["a"], { a: "ecole" }],
    ["two words that the page writes as one", "on line x", ["a"], { a: "online" }],
    ["the last character of a word, in scripts without spaces", "設 定", ["b", "a"], { a: "設定", b: "設" }],
    ["no word and number that the page writes as one", "web 2 x", [], { a: "web2" }],
    ["no number and word that the page writes as one", "2 fa x", [], { a: "2fa" }],
    ["no longer word with another ending", "test x", ["c"], { a: "testimony", b: "testsuite", c: "tests" }],
    [
      "the parts of an identifier that no page has as a whole",
      "maxConnections",
      ["a"],
      { a: "max connections" },
    ],
    [
      "an identifier as a whole, where a page has it",
      "maxConnections",
      ["a"],
      { a: "maxConnections", b: "max connections" },
    ],
    ["no longer word than a part of an identifier", "maxConn", [], { a: "maximum connections" }],
    ["an identifier by its part", "connections x", ["a"], { a: "max_connections" }],
    ["the path of a page", "handbook x", ["handbook/a"], { "handbook/a": "alpha", b: "beta" }],
    [
      "the path of a page, whatever points are in it",
      "handbook x",
      ["v1.handbook/a"],
      { "v1.handbook/a.html": "alpha", b: "beta" },
    ],
    ["no name of a page that every folder has", "index html", [], { "b/index.html": "alpha" }],
    ["nothing that no page has", "zeta", [], { a: "alpha" }],
    ["nothing without letters", "?! …", [], { a: "alpha" }],
  ] as const)("%s", async ([, query, expected, texts]) => {
    const { paths } = await ask(texts, query, () => "T");
    expect(paths).toEqual(expected);
  });

  test.for([
    ["one slip of a short word", "vauum x", ["a"]],
    ["two exchanged letters", "vaucum x", ["a"]],
    ["no two slips of a short word", "vkkuum x", []],
    ["two slips of a long word", "maintainance x", ["b"]],
    ["no three slips", "maantainance x", []],
    ["two slips of eight letters", "sextixgs x", ["d"]],
    ["one slip of four letters", "lokc x", ["e"]],
    ["no slip at its beginning", "cavuum x", []],
    ["no slip of three letters", "gti x", []],
  ] as const)("in spite of a slip of typing: %s", async ([, query, expected]) => {
    const { paths } = await ask(
      { a: "vacuum", b: "maintenance", c: "git", d: "settings", e: "lock" },
      query,
      () => "T",
    );
    expect(paths).toEqual(expected);
  });

  test("no similar word if a page has it as it is typed", async () => {
    expect((await ask({ a: "vacuum", b: "vauum" }, "vauum x", () => "T")).paths).toEqual(["b"]);
  });
});

describe("the order of the results", () => {
  test.for([
    ["the title before the text", "alpha", ["alpha", "b"], { b: "alpha beta", alpha: "gamma delta" }],
    [
      "more often before less often",
      "alpha",
      ["b", "a"],
      { a: "alpha beta beta beta", b: "alpha alpha alpha beta" },
    ],
    [
      "a short page before a long one",
      "alpha",
      ["b", "a"],
      { a: `alpha ${"beta ".repeat(50)}`, b: "alpha beta" },
    ],
    [
      "all words before one of them, often",
      "alpha beta",
      ["b", "a"],
      { a: "alpha ".repeat(50), b: "alpha beta gamma" },
    ],
    [
      "a word that the page joins to the next one, before one of both",
      "on line x",
      ["b", "a"],
      { a: "line gamma", b: "online" },
    ],
    [
      "a word that the page joins to the one before, before one of both",
      "on line x",
      ["b", "a"],
      { a: "on on on", b: "online" },
    ],
    [
      "a rare word before a frequent one",
      "alpha beta",
      ["c", "a", "b"],
      { a: "alpha x", b: "alpha y", c: "beta z" },
    ],
    [
      "the words in the order of the question",
      "alpha beta",
      ["b", "a"],
      { a: "beta alpha", b: "alpha beta" },
    ],
    [
      "the words in the order of the question, however it is typed",
      " ÉCOLE Alpha ",
      ["b", "a"],
      { a: "alpha école", b: "école alpha" },
    ],
    ["of equal pages by their path", "alpha", ["a", "b", "c"], { c: "alpha", a: "alpha", b: "alpha" }],
  ] as const)("%s", async ([, query, expected, texts]) => {
    expect((await ask(texts, query)).paths).toEqual(expected);
  });

  test.for([
    ["test", "tests", "testq"],
    ["match", "matches", "matchq"],
    ["cache", "cached", "cachet"],
    ["test", "tested", "testq"],
    ["test", "testing", "testq"],
    ["tests", "test", "testa"],
  ] as const)("for %s, %s before %s", async ([query, inflected, other]) => {
    const { paths } = await ask({ a: other, b: inflected }, `${query} x`, () => "T");
    expect(paths).toEqual(["b", "a"]);
  });

  test("the word that a title writes as two before the same in texts", async () => {
    const text = `pgvector ${"gamma ".repeat(50)}`;
    const texts = { a: text, b: text };
    const { paths } = await ask(texts, "pgvector", (path) => (path === "b" ? "PG Vector" : "T"));
    expect(paths).toEqual(["b", "a"]);
  });

  test("a page that is about the word before one whose title has others, too", async () => {
    const titles: Readonly<Record<string, string>> = { a: "Alpha and gamma of delta", b: "Alpha" };
    const { paths } = await ask({ a: "alpha", b: "alpha" }, "alpha", (path) => titles[path] ?? "");
    expect(paths).toEqual(["b", "a"]);
  });

  test("a page that is about the word before one whose title is an identifier with others, too", async () => {
    const titles: Readonly<Record<string, string>> = { a: "getAlphaPaths", b: "Alpha gamma" };
    const { paths } = await ask({ a: "alpha", b: "alpha" }, "alpha", (path) => titles[path] ?? "");
    expect(paths).toEqual(["b", "a"]);
  });

  test("of two titles the one with a word of the question that is on every page", async () => {
    const texts = Object.fromEntries(Array.from({ length: 102 }, (_, number) => [`p${number}`, "static"]));
    const titles: Readonly<Record<string, string>> = { p0: "Gamma export", p1: "Static export" };
    const { paths } = await ask(texts, "export static", (path) => titles[path] ?? "T");
    expect(paths).toEqual(["p1", "p0"]);
  });

  test("a page of one section before a page of two that has the words in one of them", async () => {
    const section = (text: string): Section => ({ anchor: "", heading: "", text });
    const [beta, gamma] = ["alpha beta beta ".repeat(4), "alpha gamma gamma ".repeat(4)];
    const texts = { a: [section(beta), section(gamma)], b: [section(`${beta} ${gamma}`)] };
    expect((await ask(texts, "alpha beta", () => "T")).paths).toEqual(["b", "a"]);
  });

  test("a page before a list of changes that has the word more often", async () => {
    const texts = { changelog: "alpha ".repeat(4), usage: "alpha ".repeat(3) };
    expect((await ask(texts, "alpha", () => "T")).paths).toEqual(["usage", "changelog"]);
  });

  test("a page that explains before one that lists what changed, unless that is asked for", async () => {
    const list = [{ anchor: "new", heading: "Key rotated", text: "The key rotated." }];
    const guide = [{ anchor: "rotate", heading: "Rotate a key", text: "Set the new one." }];
    const textsOf = (path: string): Texts => ({
      [path]: list,
      // both the score of each word and the closeness of all must count less in a list
      "guide.html": guide,
      "other.html": "Nothing of it.",
    });
    const titleOf = (path: string): string => (path.startsWith("changelog") ? "Changelog" : "Page");
    const texts = textsOf("changelog.html");
    expect((await ask(texts, "key rotated", titleOf)).paths[0]).toBe("guide");
    expect((await ask(texts, "changelog key rotated", titleOf)).paths[0]).toBe("changelog");
    expect((await ask(textsOf("manual.html"), "key rotated", titleOf)).paths[0]).toBe("manual");
  });

  test("words in one section before the same in several", async () => {
    const section = (text: string): Section => ({ anchor: "", heading: "", text });
    const other = section("gamma ".repeat(50));
    const texts = {
      a: [section("alpha"), section("beta"), other],
      b: [section("alpha beta"), other],
    };
    expect((await ask(texts, "alpha beta", () => "T")).paths).toEqual(["b", "a"]);
  });

  test("the heading before the text", async () => {
    const section = (heading: string, text: string): Section[] => [{ anchor: "", heading, text }];
    const texts = { a: section("beta", "alpha gamma"), b: section("alpha", "beta gamma") };
    expect((await ask(texts, "alpha")).paths).toEqual(["b", "a"]);
  });

  const often = "alpha ".repeat(6);
  test.for([
    ["a heading after a number before one with another word", "alpha x", ["Alpha beta"], ["2.3 Alpha"]],
    ["a heading that is the word before a text that has it often", "alpha", ["T", often], ["Alphas"]],
    ["a heading in the order of a short question", "order by alpha", ["By order"], ["Order by"]],
  ] as const)("%s", async ([, query, one, other]) => {
    const page = ([heading, text = "alpha"]: readonly [string, string?]): Section[] => [
      { anchor: "", heading: "T", text: "gamma ".repeat(20) },
      { anchor: "x", heading, text },
    ];
    expect((await ask({ a: page(one), b: page(other) }, query, () => "T")).paths).toEqual(["b", "a"]);
  });

  test("ends after ten", async () => {
    const texts = Object.fromEntries(Array.from({ length: 12 }, (_, number) => [`${number + 10}`, "alpha"]));
    expect((await ask(texts, "alpha")).paths).toEqual(Object.keys(texts).slice(0, 10));
  });
});

describe("a result", () => {
  const sections: Section[] = [
    { anchor: "", heading: "", text: "Welcome to alpha." },
    { anchor: "beta", heading: "Beta", text: "How to set beta." },
    { anchor: "gamma", heading: "Gamma", text: "" },
    { anchor: "Page", heading: "Page", text: "delta" },
  ];

  test.for([
    ["the section that fits best", "beta", "beta", "Beta", "How to set beta."],
    ["the page itself for its first section", "alpha", "", "", "Welcome to alpha."],
    ["a later section with its title by its address", "delta", "Page", "", "delta"],
    ["the first text for a section without one", "gamma", "gamma", "Gamma", "Welcome to alpha."],
  ] as const)("is %s", async ([, query, fragment, heading, excerpt]) => {
    const { results } = await ask({ "Page.html": sections }, query);
    const [result] = results;
    expect(result).toMatchObject({
      title: "Page",
      address: "at/Page.html",
      path: "Page.html",
      anchor: fragment,
      heading,
    });
    expect(result?.excerpt.map(([text]) => text).join("")).toBe(excerpt);
  });

  test("is the section that has the words, of a page with any number of sections", async () => {
    const many = Array.from({ length: 1_234 }, (_, at): Section => {
      return { anchor: `s${at}`, heading: `Section ${at}`, text: `x${at}y shared` };
    });
    for (const at of [0, 399, 400, 499, 500, 1_233]) {
      const [result] = (await ask({ a: many }, `x${at}y shared`)).results;
      expect(result, String(at)).toMatchObject({ anchor: at === 0 ? "" : `s${at}` });
    }
  });

  test("is the section that has the words behind what is quoted from it", async () => {
    const filler = "some words that all sections of this page have in their text ".repeat(20);
    const long = Array.from({ length: 300 }, (_, at): Section => {
      return { anchor: `s${at}`, heading: `Part ${at}`, text: `${filler} marker${at}q near gear${at % 7}w.` };
    });
    for (const at of [1, 150, 299]) {
      const [result] = (await ask({ a: long }, `marker${at}q`)).results;
      expect(result, String(at)).toMatchObject({ path: "a", anchor: `s${at}` });
      const [phrase] = (await ask({ a: long }, `words marker${at}q near gear${at % 7}w`)).results;
      expect(phrase, String(at)).toMatchObject({ path: "a", anchor: `s${at}` });
    }
  });

  test("is found without place tables if its words are stored with the page, and with one for each other word", async () => {
    const filler = "some words that all sections of this page have in their text ".repeat(20);
    const long = Array.from({ length: 300 }, (_, at): Section => {
      const text = `visible${at}v ${filler} ${[1, 2, 3, 4].map((each) => `hidden${at}h${each}`).join(" ")} where`;
      return { anchor: `s${at}`, heading: `Part ${at}`, text };
    });
    const textsFor = async (query: string): Promise<[string | undefined, number]> => {
      const { results, loaded } = await ask({ a: long }, query);
      return [results[0]?.anchor, new Set(loaded.filter((key) => key.startsWith("text-"))).size];
    };
    expect(await textsFor("visible7v")).toEqual(["s7", 1]);
    expect(await textsFor("visible7v some words part")).toEqual(["s7", 1]);
    expect(await textsFor("hidden9h2")).toEqual(["s9", 2]);
    expect(await textsFor("hidden9h2 some words part")).toEqual(["s9", 2]);
    expect(await textsFor("visible7v where")).toEqual(["s7", 1]); // hidden, too, but it carries no question
  });

  test("without a title has its path", async () => {
    const { results } = await ask({ "a/b.html": "alpha" }, "alpha", () => "");
    expect(results[0]?.title).toBe("a/b.html");
  });

  test("quotes the part of a long page's section that has the word", async () => {
    const text = `${"straw ".repeat(5_000)}needle`;
    const long: Section[] = [{ anchor: "x", heading: "X", text }];
    const { results } = await ask({ a: long }, "straw");
    expect(results[0]?.excerpt.some(([text, isMatch]) => isMatch && text === "straw")).toBe(true);
    expect(results[0]?.excerpt.at(-1)?.[0]).toMatch(/…$/);
  });
});

describe("what is loaded for a question", () => {
  /** A site whose words fill many files. */
  const texts = Object.fromEntries(
    Array.from({ length: 150 }, (_, page) => [
      `page${page + 100}`,
      Array.from({ length: 60 }, (__, number) => `w${((page * 61 + number * 17) % 5_000) + 10_000}`).join(
        " ",
      ),
    ]),
  );
  const wordFiles = ({ loaded }: Asked): number => loaded.filter((key) => key.startsWith("words-")).length;

  test("is a small part of the index", async () => {
    const asked = await ask(texts, "w10017");
    expect(asked.paths).not.toEqual([]);
    expect(wordFiles(asked)).toBeGreaterThan(0);
    expect(wordFiles(asked)).toBeLessThanOrEqual(3);
    expect(asked.loaded.filter((key) => key.startsWith("text-")).length).toBeLessThanOrEqual(10);
  });

  test("has each word, whichever file it is in", async () => {
    const words = Object.values(texts).flatMap((text) => text.split(" "));
    for (let at = 0; at < words.length; at += 599) {
      const word = words[at] ?? "";
      const { paths } = await ask(texts, `${word} x`);
      expect(
        paths.slice(0, 1).map((path) => texts[path]?.split(" ").includes(word)),
        word,
      ).toEqual([true]);
    }
  });

  test("is one file for each of more than three words", async () => {
    expect(wordFiles(await ask(texts, "w10017 w11000 w12003 w13010"))).toBeLessThanOrEqual(4 + 4);
  });

  test("are at most five files to correct a word, beside those that may have it", async () => {
    const asked = await ask(texts, "w1zz17");
    expect(asked.paths).toEqual([]);
    expect(wordFiles(asked)).toBeLessThanOrEqual(3 + 5);
  });
});

describe("words of most pages of a large site", () => {
  const pages = (count: number): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: count }, (_, number) => [
        `p${number + 1_000}`,
        `${number < count * 0.8 ? "commit " : ""}${number % 3 < 2 ? "often " : ""}x${number}y`,
      ]),
    );

  test("are not looked for beside others, and found alone", async () => {
    const both = await ask(pages(200), "x7y commit");
    expect(both.paths).toEqual(["p1007"]);
    const alone = await ask(pages(200), "commit");
    expect(alone.paths).toHaveLength(10);
  });

  test("are looked for in a small site", async () => {
    expect((await ask(pages(90), "x7y commit")).paths.length).toBeGreaterThan(1);
  });

  test("lead to 200 pages at least, those with the most of it", async () => {
    const texts = Object.fromEntries(
      Array.from({ length: 500 }, (_, number) => [
        `p${number + 1_000}`,
        `${"often ".repeat(number === 499 ? 9 : 1)}x${number}y ${number < 250 ? "rest" : "word"}`,
      ]),
    );
    texts["q"] = "other";
    expect((await ask(texts, "often")).paths[0]).toBe("p1499");
  });
});

test("an index says how many pages it has", () => {
  const index = new TextIndex();
  index.add("a", "A", []);
  index.add("b", "B", []);
  expect(index.size).toBe(2);
});
