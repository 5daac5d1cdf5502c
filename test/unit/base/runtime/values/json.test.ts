import { expect, test } from "vitest";
import { parseJson } from "../../../../../provider/base/runtime/values/json.ts";

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

test("JSON is read to a depth of 64, with any content of its strings", () => {
  expect(parseJson("[1]")).toEqual([1]);
  expect(parseJson("no")).toBeUndefined();
  expect(parseJson(nested(64))).toBeDefined();
  expect(parseJson(nested(65))).toBeUndefined();
  expect(parseJson(`${'{"a":'.repeat(64)}1${"}".repeat(64)}`)).toBeDefined();
  expect(parseJson(`${'{"a":'.repeat(65)}1${"}".repeat(65)}`)).toBeUndefined();
  expect(parseJson(`[${Array(100).fill("[],{}").join()}]`)).toHaveLength(200);
  const brackets = "[{".repeat(100);
  expect(parseJson(JSON.stringify([brackets, `\\"${brackets}`, '"', "\\"]))).toHaveLength(4);
  // closing brackets in a string do not reduce the depth
  expect(parseJson(`["]]]]",${nested(64)}]`)).toBeUndefined();
  expect(parseJson(`["}}}}",${nested(64)}]`)).toBeUndefined();
  expect(parseJson(`["\\"]]]",${nested(64)}]`)).toBeUndefined();
});
