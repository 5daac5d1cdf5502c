import { expect, test } from "vitest";
import { isIdentifier, readIdentifier } from "../../../provider/service/identifier.ts";

test.each(["7f3a", "a/b", "!", "~", "x".repeat(512)])("an id can be «%s»", (id) => {
  expect(isIdentifier(id)).toBe(true);
  expect(readIdentifier(id)).toBe(id);
});

test.each(["", ".", "..", "a b", "a\n", "\u007f", "ü", "x".repeat(513), null, {}, true])(
  "an id cannot be %j",
  (id) => {
    expect(isIdentifier(id)).toBe(false);
    expect(readIdentifier(id)).toBeUndefined();
  },
);

test("an id may be a number that is exact", () => {
  expect(readIdentifier(42)).toBe("42");
  expect(readIdentifier(2 ** 53)).toBeUndefined();
  expect(readIdentifier(1.5)).toBeUndefined();
  expect(isIdentifier(42)).toBe(false);
});
