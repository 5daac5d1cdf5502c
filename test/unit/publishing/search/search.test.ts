// Index and search together, without pages of HTML and without a browser.
import { describe, expect, test } from "vitest";
import type { Section } from "../../../../provider/publishing/search/sections.ts";
import { TextIndex } from "../../../../provider/publishing/search/textIndex.ts";
import { ask } from "./askedIndex.ts";

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

test("an index says how many pages it has", () => {
  const index = new TextIndex();
  index.add("a", "A", []);
  index.add("b", "B", []);
  expect(index.size).toBe(2);
});
