import { expect, test } from "vitest";
import { beginning, folded, wordsOf } from "../../../../provider/publishing/search/words.ts";
import { processorMs } from "../../../simulation/processorTime.ts";

const texts = (text: string): string[] => wordsOf(text).map((word) => word.text);

test.for([
  ["Größe, Café & ÅNGSTRÖM", ["grosse", "cafe", "angstrom"]],
  ["C++ and C# in 2.0", ["c++", "and", "c#", "in", "2.0"]],
  ["3.11.2, 4.x", ["3.11.2", "4", "x"]],
  ["don't stop—now", ["don", "t", "stop", "now"]],
  ["ﬁle ＡＢＣ", ["file", "abc"]],
  ["ネットワーク", ["ネッ", "ット", "トワ", "ワー", "ーク"]],
  ["東京 の API設定", ["東京", "の", "設定", "api"]],
  ["ไทย", ["ไท", "ทย"]],
  ["한국어 문서", ["한국어", "문서"]],
  ["документация", ["документация"]],
  ["__ _ …", ["__"]],
  ["ab設定cd", ["設定", "ab", "cd"]],
  ["x".repeat(40), ["x".repeat(40)]],
  ["x".repeat(41), []],
] as const)("%s", ([text, expected]) => {
  expect(texts(text)).toEqual(expected);
});

test("an identifier is a word, and so are its parts", () => {
  expect(wordsOf("readFile HTTPServer max_connections utf8Text")).toEqual([
    { text: "readfile", parts: ["read", "file"] },
    { text: "httpserver", parts: ["http", "server"] },
    { text: "max_connections", parts: ["max", "connections"] },
    { text: "utf8text", parts: ["utf8", "text"] },
  ]);
  // a letter alone is no part
  expect(wordsOf("a__bCd")).toEqual([{ text: "a__bcd", parts: ["cd"] }]);
  expect(wordsOf("simple設定")).toEqual([
    { text: "設定", parts: ["定"] },
    { text: "simple", parts: [] },
  ]);
});

test("equivalent ways to write a character are one word", () => {
  expect(folded("e\u0301")).toBe(folded("é"));
  expect(folded("が")).toBe(folded("か\u3099"));
  expect(folded("が")).not.toBe(folded("か"));
});

test("what was split once is not split again", () => {
  const known = new Map<string, ReturnType<typeof wordsOf>>();
  const first = wordsOf("alpha beta alpha", known);
  expect([...known.keys()]).toEqual(["alpha", "beta"]);
  expect(wordsOf("alpha", known)[0]).toBe(first[0]);
});

test("no more than 200,000 words are remembered, and the others are split all the same", () => {
  const known = new Map(Array.from({ length: 199_999 }, (_, number) => [`${number}`, []]));
  expect(wordsOf("alpha beta", known).map(({ text }) => text)).toEqual(["alpha", "beta"]);
  expect([known.size, known.has("alpha"), known.has("beta")]).toEqual([200_000, true, false]);
});

test.for([
  ["short", "short"],
  ["aaaaaa bbbb", "aaaaaa bb"],
  ["aaaaaaa bbb", "aaaaaaa"],
  ["one two three", "one two"],
  ["one two", "one two"],
  ["ネットワーク設定の方法", "ネットワーク設定の"],
  ["aaaaaaa😀😀", "aaaaaaa😀"],
  ["aaaaaaaa😀😀", "aaaaaaaa"],
] as const)("the beginning of %s ends with a whole word or character", ([text, expected]) => {
  expect(beginning(text, 9)).toBe(expected);
});

test("a letter with any number of accents, in any order, is a word without delay", () => {
  const accents = ["\u0316\u0301", "\uff9e\u0316", "\u0301\u3099\u0316"].map((some) => some.repeat(300_000));
  const started = processorMs();
  for (const marks of accents) {
    expect(texts(`one a${marks} 設${marks} ${marks} two`)).toEqual(expect.arrayContaining(["one", "two"]));
    expect(folded(`a${marks}`).length).toBeLessThan(100);
  }
  // seconds for some thousand accents before, hours for these
  expect(processorMs() - started).toBeLessThan(5_000);
});

test("up to 30 accents of a letter count as before", () => {
  expect(folded(`a${"\u0316\u0301".repeat(15)}`)).toBe("a");
  expect(folded("Å\u0316ngstro\u0308m")).toBe("angstrom");
});

test("a long run of letters beside characters without spaces is no word", () => {
  expect(texts(`設定${"x".repeat(100_000)}`)).toEqual(["設定"]);
});
