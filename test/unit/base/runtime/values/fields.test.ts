import { expect, test } from "vitest";
import { hasFields, present } from "../../../../../provider/base/runtime/values/fields.ts";

test("an object has fields; a list, a text and null have none", () => {
  expect([{}, { a: 1 }, [], "a", null, undefined, 0].map(hasFields)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("only values that are undefined are left out", () => {
  expect(present({ a: undefined, b: null, c: "", d: 0, e: false })).toEqual({
    b: null,
    c: "",
    d: 0,
    e: false,
  });
});
