import { expect, test } from "vitest";
import { parseJson, parseObject } from "../../../provider/http/reply.ts";

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

test("an object is returned unchanged", () => {
  expect(parseObject("GET x", ' {"a":[1]}')).toEqual({ a: [1] });
});

test.each([
  ["<p>svc_c4n4ry</p>", "something that is not JSON: <p>[removed]</p>"],
  [nested(65), "JSON that is nested deeper than 64 levels"],
  [" \n", "with an empty reply"],
])("%j is none", (text, what) => {
  expect(() => parseObject("GET x", text)).toThrow(
    expect.objectContaining({
      name: "MalformedResponseError",
      message: `GET x answered ${what}`,
      remedy:
        "Check that the base URL is that of the service, and that nothing in between (a proxy, a login page) answers in its place.",
    }),
  );
});
