// The order of results: which page, and which of its sections, comes first.
import { describe, expect, test } from "vitest";
import type { Section } from "../../../../provider/publishing/search/sections.ts";
import { ask, type Texts } from "./askedIndex.ts";

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
