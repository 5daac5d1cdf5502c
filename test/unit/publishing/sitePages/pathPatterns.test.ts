import { expect, test } from "vitest";
import { isExcluded } from "../../../../provider/publishing/sitePages/pathPatterns.ts";

test.for([
  [
    "a folder and all below it",
    "v1/**",
    ["v1/index.html", "v1/api/a.html"],
    ["v1", "v10/a.html", "docs/v1/a.html"],
  ],
  ["a star within a name", "v1/*.html", ["v1/a.html", "v1/.html"], ["v1/api/a.html", "v1/a.htm", "v1/ahtml"]],
  ["a star for a folder", "*/old.html", ["a/old.html"], ["old.html", "a/b/old.html", "a/old.html/b"]],
  ["two stars for any folders", "**/old.html", ["a/old.html", "a/b/old.html"], ["old.html", "a/older.html"]],
  [
    "a question mark for one character",
    "v?.html",
    ["v1.html", "v設.html", "v😀.html"],
    ["v.html", "v12.html", "v/.html"],
  ],
  ["a leading slash, which is the site's root", "/a.html", ["a.html"], ["b/a.html", "/a.html"]],
  [
    "all other characters as they are",
    "a+(b)[c]{d}^$|.\\e",
    ["a+(b)[c]{d}^$|.\\e"],
    ["aab", "a+(b)[c]{d}^$|x\\e"],
  ],
  ["a name with a line break", "a**", ["a\nb"], ["\na"]],
] as const)("a pattern excludes %s", ([, pattern, excluded, kept]) => {
  for (const path of excluded) expect(isExcluded(path, [pattern]), path).toBe(true);
  for (const path of kept) expect(isExcluded(path, [pattern]), path).toBe(false);
});

test("one of several patterns is enough; without any nothing is excluded", () => {
  expect(isExcluded("b.html", ["a.html", "b.html"])).toBe(true);
  expect(isExcluded("c.html", ["a.html", "b.html"])).toBe(false);
  expect(isExcluded("c.html", [])).toBe(false);
  expect(isExcluded("c.html")).toBe(false);
});
