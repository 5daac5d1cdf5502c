import { describe, expect, test } from "vitest";
import { excerptOf } from "../../../../provider/publishing/search/browser/excerpt.ts";
import { distance } from "../../../../provider/publishing/search/browser/match.ts";

describe("the number of typing errors", () => {
  test.for([
    ["vacuum", "vacuum", 0],
    ["vacum", "vacuum", 1],
    ["vaccuum", "vacuum", 1],
    ["vacuun", "vacuum", 1],
    ["vacumu", "vacuum", 1],
    ["avcuumm", "vacuum", 2],
    ["vac", "vacuum", 3],
    ["acuum", "vacuum", 1],
    ["cuum", "vacuum", 2],
    ["ab", "xxab", 2],
    ["ab", "bc", 2],
    ["ab", "ba", 1],
    ["ab", "cd", 2],
    ["", "ab", 2],
  ] as const)("%s for %s: %i", ([one, other, errors]) => {
    expect(Math.min(distance(one, other, 2), 3)).toBe(errors);
    expect(Math.min(distance(other, one, 2), 3)).toBe(errors);
  });
});

describe("a quotation", () => {
  const isMatch = (term: string): boolean => term === "needle" || term === "設定";
  const shown = (text: string): string =>
    excerptOf(text, isMatch)
      .map(([piece, isMarked]) => (isMarked ? `[${piece}]` : piece))
      .join("");

  test("marks every match, in upper and lower case", () => {
    expect(shown("A needle, and a Needle.")).toBe("A [needle], and a [Needle].");
  });

  test.for([
    ["in its middle", [100, "needle ", 100], "… 8 straw [needle] 31 hay …"],
    ["near its beginning", [3, "needle ", 100], "3 straw [needle] 39 hay …"],
    ["at its end", [100, "needle", 0], "… 28 straw [needle]"],
    ["twice", [100, "needle hay needle ", 100], "… 8 straw [needle] hay [needle] 28 hay …"],
    [
      "in its middle, and far behind",
      [100, `needle ${"hay ".repeat(50)}needle `, 100],
      "… 8 straw [needle] 31 hay …",
    ],
  ] as const)("of a long text with a match %s begins and ends with whole words", ([, parts, expected]) => {
    const [before, matches, after] = parts;
    const text = `${"straw ".repeat(before)}${matches}${"hay ".repeat(after)}`;
    const counted = shown(text).replace(/(straw|hay)(?: \1)+/g, (words, word: string) => {
      return `${words.split(" ").length} ${word}`;
    });
    expect(counted).toBe(expected);
  });

  test("of a text without spaces begins fifty characters before the match", () => {
    const [before, after] = ["あ".repeat(300), "い".repeat(300)];
    expect(shown(`${before}設定${after}`)).toBe(`… ${before.slice(-50)}[設定]${after.slice(0, 128)} …`);
    // no later than the match, even if there is no space before it
    expect(shown(`${before}設定 ${after}`)).toBe(`… [設定] ${after.slice(0, 177)} …`);
  });

  test("that ends within a match does not mark it", () => {
    expect(shown(`needle ${"あ".repeat(172)}設定${"い".repeat(30)}`)).toBe(
      `[needle] ${"あ".repeat(172)}設 …`,
    );
  });

  test("marks a part of a text without spaces, from its first match to its last", () => {
    expect(shown("ネットワーク設定の方法")).toBe("ネットワーク[設定]の方法");
    expect(shown("設定と設定の方法")).toBe("[設定と設定]の方法");
  });

  test("marks a word as a whole, with whatever is in it", () => {
    const marked = (text: string, ...words: string[]): string =>
      excerptOf(text, (term) => words.includes(term))
        .map(([piece, isMarked]) => (isMarked ? `[${piece}]` : piece))
        .join("");
    expect(marked("The main thing", "main", "in")).toBe("The [main] thing");
    expect(marked("Call readIn now", "read", "in")).toBe("Call [readIn] now");
    expect(marked("See ab\u0301 now", "ab")).toBe("See [ab\u0301] now"); // an accent that is a character of its own
    expect(marked("a 設", "設")).toBe("a [設]");
  });

  test("of a text without a match is its beginning", () => {
    expect(shown("no match")).toBe("no match");
    expect(shown("")).toBe("");
  });
});
