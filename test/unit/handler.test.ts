import { expect, test } from "vitest";
import { StaticExport } from "../../provider/dynamic.ts";
import { handlerText } from "../../sdk/handler.ts";

test("the text in every user's state never changes", () => {
  expect(handlerText("StaticExport")).toBe(
    'exports.handler = () => require("module").createRequire(process.cwd() + "/_")("pulumi-docs-hosting/dynamic").StaticExport;',
  );
});

test("what that text asks for has every method that the host calls", () => {
  expect(Object.keys(StaticExport).sort()).toEqual([
    "check",
    "configure",
    "create",
    "delete",
    "diff",
    "read",
    "update",
  ]);
});
