import { expect, test } from "vitest";
import { editionOf } from "../../../../provider/publishing/additions/additions.ts";

const SHA256 = "0".repeat(64);

test.for(["offlineSearch", "llmsTxt", "fetchExternal"] as const)(
  "options of %s are the same edition in any order of their names",
  (name) => {
    const edition = (options: object): string => editionOf(SHA256, { [name]: options });
    const one = edition({ exclude: ["a"], include: ["b"] });
    expect(edition({ include: ["b"], exclude: ["a"] })).toBe(one);
    expect(edition({ exclude: ["a"], include: ["c"] })).not.toBe(one);
  },
);
