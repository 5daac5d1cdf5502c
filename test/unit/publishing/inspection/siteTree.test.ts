// The names of a site at the borders of their rules, without an archive around them.
import { expect, test } from "vitest";
import { BundleRefusedError } from "../../../../provider/base/runtime/messages/errors.ts";
import { SiteTree } from "../../../../provider/publishing/inspection/siteTree.ts";

const tree = (files = 100): SiteTree => new SiteTree({ unpackedBytes: 1, files });
const refusalOf = (add: () => unknown): BundleRefusedError => {
  try {
    add();
  } catch (error) {
    if (error instanceof BundleRefusedError) return error;
  }
  throw new Error("not refused");
};

test.each([
  ["index.html", "index.html"],
  ["./a", "a"],
  ["././a/b", "a/b"],
  ["..a/b..c/.d", "..a/b..c/.d"],
  ["a b/c.d", "a b/c.d"],
  ["1/a", "1/a"],
])("the file %j is at %j", (name, path) => {
  const names = tree();
  expect(names.add(name, "file")).toBe(path);
  expect(names.hasFile(path)).toBe(true);
});

test.each([
  ["./", ""],
  [".", ""],
  ["a/", "a"],
  ["./a/b/", "a/b"],
  ["a", "a"],
])("the folder %j is at %j", (name, path) => {
  const names = tree();
  expect(names.add(name, "folder")).toBe(path);
  expect(names.hasFile(path)).toBe(false);
});

test.each([
  ["a \\ of Windows", "a\\b", "has a backslash in its name"],
  ["a path from the root", "/a", "has an absolute path"],
  ["a drive", "Z:/a", "begins with a drive letter"],
  ["a tab", "a\tb", "has a control character or a line break in its name"],
  ["a control character of Latin-1", "a\u0085b", "has a control character or a line break in its name"],
  ["the end of a paragraph", "a\u2029b", "has a control character or a line break in its name"],
  ["nothing", "", "has no name"],
  ["only dots", "./", "has no name"],
  ["a dot", ".", "has an empty segment or a «.» in its path"],
  ["a slash at the end of a file", "a/", "has an empty segment or a «.» in its path"],
  ["a way out", "a/../b", "leads outside its folder"],
])("a file is refused that has %s in its name", (_what, name, problem) => {
  expect(refusalOf(() => tree().add(name, "file")).message).toContain(problem);
});

test.each([
  ["a folder without a name", "", "has no name"],
  ["two slashes at the end of a folder", "a//", "has an empty segment or a «.» in its path"],
])("%s is refused", (_what, name, problem) => {
  expect(refusalOf(() => tree().add(name, "folder")).message).toContain(problem);
});

test("a name has 255 bytes at most, a path 1024, and 64 folders and files in one another", () => {
  const [name, path, deep] = ["ü".repeat(127) + "x", `${"d".repeat(127)}/`.repeat(8), "d/".repeat(63)];
  for (const [longest, further, problem] of [
    [name, "y", "has a name of more than 255 bytes"],
    [path.slice(0, -1), "x", ""],
    [`${path.slice(0, -1)}x`, "y", "has a path of more than 1024 bytes"],
    [`${deep}x`, "/y", "is more than 64 folders deep"],
  ] as const) {
    expect(tree(1_000).add(longest, "file")).toBe(longest);
    if (problem === "") continue;
    const { message, remedy } = refusalOf(() => tree(1_000).add(longest + further, "file"));
    expect(message).toContain(problem);
    expect(remedy).toContain("Rename that page or file");
  }
});

test("each folder counts as an entry, once, and an entry of the archive's root does not", () => {
  const names = tree(3);
  names.add("./", "folder");
  names.add("a/b/c", "file");
  const { message, remedy } = refusalOf(() => names.add("d", "file"));
  expect(message).toBe("the bundle is refused: it contains more than 3 files and folders");
  expect(remedy).toBe("If the site is meant to be that large, raise `limits.files`.");
});

test("a folder may occur again, and a file may not; names that differ in case are different names", () => {
  const names = tree();
  for (const folder of ["a/", "a/", "A/"]) names.add(folder, "folder");
  for (const path of ["a/é", "a/É", "a/e\u0301", "A/é"]) names.add(path, "file", 7);
  for (const [path, problem] of [
    ["a/é", "occurs twice"],
    ["a", "is both a file and a folder"],
    ["a/é/c", "is both a file and a folder"],
  ] as const) {
    const { message } = refusalOf(() => names.add(path, "file"));
    expect(message).toContain(problem);
  }
  expect(["a/é", "a/É", "A/é", "A/É", "a", "c"].map((path) => names.hasFile(path))).toEqual([
    ...[true, true, true],
    ...[false, false, false],
  ]);
  expect(["a/é", "a"].map((path) => names.sizeOf(path))).toEqual([7, undefined]);
});

test("a folder's children are directly in it, without what is not published", () => {
  const names = tree();
  for (const path of [
    "a.html",
    "ab/c.html",
    "a/b/d.html",
    "a/e.html",
    "__MACOSX/x",
    ".DS_Store",
    "a/._e.html",
  ]) {
    names.add(path, "file");
  }
  expect(names.childrenOf("")).toEqual({ files: ["a.html"], folders: ["ab", "a"] });
  expect(names.childrenOf("a")).toEqual({ files: ["a/e.html"], folders: ["a/b"] });
  expect(names.childrenOf("b")).toEqual({ files: [], folders: [] });
});
