import { expect, test } from "vitest";
import { firstOf } from "../../../../../provider/base/runtime/messages/firstOf.ts";

test("a message names the first three of many, and counts the others", () => {
  expect(firstOf(["a", "b", "c", "d"])).toBe("a, b, c and 1 more");
  expect(firstOf(["a", "b", "c", "d", "e"])).toBe("a, b, c and 2 more");
});

test("a message names all where they are few", () => {
  expect(firstOf(["a", "b", "c"])).toBe("a, b, c");
  expect(firstOf(["a"])).toBe("a");
});

test("a message may name more", () => {
  expect(firstOf(["a", "b", "c", "d"], 4)).toBe("a, b, c, d");
  expect(firstOf(["a", "b"], 1)).toBe("a and 1 more");
});
