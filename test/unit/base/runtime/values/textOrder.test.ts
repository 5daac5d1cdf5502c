import { expect, test } from "vitest";
import { compareTexts } from "../../../../../provider/base/runtime/values/textOrder.ts";

test("texts are in the order of their code units, which is the same in every language", () => {
  expect(["b", "a", "é", "B", "z", "a"].sort(compareTexts)).toEqual(["B", "a", "a", "b", "z", "é"]);
  expect([compareTexts("a", "b"), compareTexts("b", "a"), compareTexts("a", "a")]).toEqual([-1, 1, 0]);
});
