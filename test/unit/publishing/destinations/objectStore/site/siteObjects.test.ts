import { expect, test } from "vitest";
import { headersOf } from "../../../../../../provider/publishing/destinations/objectStore/fileHeaders.ts";
import {
  conflictingPaths,
  siteObjects,
} from "../../../../../../provider/publishing/destinations/objectStore/site/siteObjects.ts";

const fileOf = (path: string) => ({
  path,
  size: 1,
  sha256: "",
  offset: 0,
  revision: "",
  headers: headersOf(path),
});
const filesOf = (paths: readonly string[]) => paths.map(fileOf);

function stagesOf(paths: readonly string[], standing?: readonly string[]): string[][] {
  return siteObjects(filesOf(paths), standing).map((stage) => stage.map(({ path }) => path));
}

test("files of new pages only come first, then other files, pages, the start page", () => {
  const paths = ["index.html", "a/index.html", "search.json", "assets/app.1a2b3c4d.js"];
  expect(stagesOf(paths, [])).toEqual([
    ["assets/app.1a2b3c4d.js"],
    ["search.json"],
    ["a/index.html"],
    ["index.html"],
  ]);
});

test("a page is also at its address without an ending, as a page", () => {
  expect(stagesOf(["guide.html", "a/b.html", "404.html", "a/index.html"], [])[2]).toEqual([
    "guide.html",
    "guide",
    "a/b.html",
    "a/b",
    "404.html",
    "a/index.html",
  ]);
  const [, , pages = []] = siteObjects([{ ...fileOf("guide.html"), sha256: "x", offset: 7 }], []);
  expect(pages[1]).toEqual({ ...pages[0], path: "guide", isDerived: true });
  expect(pages[1]?.headers.contentType).toBe("text/html; charset=utf-8");
});

test("a file of that name has priority", () => {
  for (const standing of [undefined, []]) {
    expect(stagesOf(["guide.html", "guide"], standing).flat().sort()).toEqual(["guide", "guide.html"]);
  }
});

test("where a folder of that name cannot exist beside it, the page is the folder's index, unless that has one", () => {
  const both = ["guide.html", "guide/install.html"];
  expect(stagesOf(both)[2]).toEqual(["guide.html", "guide", "guide/install.html", "guide/install"]);
  const apart = ["guide.html", "guide/index.html", "guide/install.html", "guide/install"];
  expect(stagesOf(both, [])[2]).toEqual(apart);
  expect(stagesOf(["guide.html"], ["guide/of-before.css"])[2]).toEqual(["guide.html", "guide/index.html"]);
  expect(stagesOf(["guide.html", "guide/index.html"], [])[2]).toEqual(["guide.html", "guide/index.html"]);
});

test("a file conflicts with a folder of its name, and a folder with a file", () => {
  const objects = siteObjects(filesOf(["a/b/c.css", "d"]), []).flat();
  expect(conflictingPaths(["a", "a/b", "a/b/c.css", "a/bc", "d", "d/e/f", "de"], objects)).toEqual([
    "a",
    "a/b",
    "d/e/f",
  ]);
});
