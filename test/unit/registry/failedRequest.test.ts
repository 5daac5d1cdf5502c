import { expect, test } from "vitest";
import { registryReason, remedyFor } from "../../../provider/registry/failedRequest.ts";

test.each([
  ['{"errors":[{"code":"DENIED","message":"no"}]}', ["DENIED"], "DENIED: no"],
  ['{"errors":[{"code":"A"},{"message":"b"}]}', ["A", ""], "A; b"],
  ['{"errors":[7]}', [""], ""],
  ["<html>login</html>", [], ""],
  ["no such thing\n##vso[x]", [], "no such thing # #vso[x]"],
  ["", [], ""],
])("of the answer %j the registry's own text is shown", (text, codes, summary) => {
  expect(registryReason(text)).toEqual({ codes, summary });
});

test("a link loses its query, and long words are cut", () => {
  const text = JSON.stringify({ errors: [{ code: "X", message: `https://r/a?geheim ${"x".repeat(500)}` }] });
  const { summary } = registryReason(text);
  expect(summary).not.toContain("geheim");
  expect(summary.length).toBeLessThan(210);
});

test("the remedy names the command that logs in, to this registry", () => {
  expect(remedyFor(401, "r:1", false)).toContain("`docker login r:1`");
  expect(remedyFor(401, "r:1", true)).toContain("Log in again");
  expect(remedyFor(403, "r:1", false)).toContain("`docker login r:1`");
  expect(remedyFor(403, "r:1", true)).toContain("right");
});
