import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TRACKERS } from "../../../../provider/publishing/externalAssets/trackers.ts";

test("the documentation has the list of what is never fetched", () => {
  const page = readFileSync(new URL("../../../../docs/reference/fetch-external.md", import.meta.url), "utf8");
  const [, list = ""] = /These patterns are never fetched:\s+([^#]+)/.exec(page) ?? [];
  expect([...list.matchAll(/`([^`]+)`/g)].map(([, pattern]) => pattern)).toEqual(TRACKERS);
});
