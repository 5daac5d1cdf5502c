import { describe, expect, test } from "vitest";
import { distance, excerptOf } from "../../../provider/search/browser/query.ts";

describe("the number of typing errors", () => {
  test.for([
    ["vacuum", "vacuum", 0],
    ["vacum", "vacuum", 1],
    ["vaccuum", "vacuum", 1],
    ["vacuun", "vacuum", 1],
    ["vacumu", "vacuum", 1],
    ["avcuumm", "vacuum", 2],
    ["vac", "vacuum", 3],
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

  test("of a long text begins at a word before the first match, and ends after some words", () => {
    const text = `${"straw ".repeat(100)}needle ${"hay ".repeat(100)}`;
    expect(shown(text)).toMatch(/^… straw .*\[needle\] hay .*hay? ?h?a? …$/);
    expect(shown(text).length).toBeLessThan(200);
  });

  test("marks a part of a text without spaces", () => {
    expect(shown("ネットワーク設定の方法")).toBe("ネットワーク[設定]の方法");
  });

  test("of a text without a match is its beginning", () => {
    expect(shown("no match")).toBe("no match");
    expect(shown("")).toBe("");
  });
});
