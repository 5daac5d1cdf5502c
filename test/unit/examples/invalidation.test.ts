// The paths that examples/promotion/cdn invalidates in a CDN.
import { expect, test } from "vitest";
import { invalidationPaths } from "../../../examples/promotion/cdn/invalidation.ts";

const listOf = (...paths: string[]) => ({ count: paths.length, paths });

test("every address of each file, and no other", () => {
  const changes = {
    since: "s3://docs/#sha256:1",
    added: listOf("guide/install.html"),
    changed: listOf("index.html", "guide/index.html", "über uns.html", "assets/style.css"),
    removed: listOf("old.html"),
  };
  expect(invalidationPaths(changes)).toEqual([
    "/",
    "/%C3%BCber%20uns",
    "/%C3%BCber%20uns.html",
    "/assets/style.css",
    "/guide/",
    "/guide/index.html",
    "/guide/install",
    "/guide/install.html",
    "/index.html",
    "/old",
    "/old.html",
  ]);
});

test("nothing where nothing changed, and everything where not all is known", () => {
  const none = { since: "", added: listOf(), changed: listOf(), removed: listOf() };
  expect(invalidationPaths(none)).toEqual([]);
  expect(invalidationPaths(undefined)).toEqual(["/*"]);
  expect(invalidationPaths({ ...none, removed: { count: 101, paths: ["a.html"] } })).toEqual(["/*"]);
});
