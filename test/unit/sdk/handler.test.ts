import { expect, test } from "vitest";
import * as dynamic from "../../../provider/dynamic.ts";
import { handlerText } from "../../../sdk/handler.ts";

const RESOURCES = Object.keys(dynamic) as Exclude<keyof typeof dynamic, "default">[];

test("the resource of an earlier release exists without end", () => {
  expect(RESOURCES).toEqual(expect.arrayContaining(["StaticExport", "AgentJob"]));
});

test.each(RESOURCES)("the text in every user's state never changes (%s)", (resource) => {
  expect(handlerText(resource)).toBe(
    `exports.handler = () => require("module").createRequire(process.cwd() + "/_")("pulumi-docs-hosting/dynamic").${resource};`,
  );
});

test.each(RESOURCES)("the object of that text has every method that the host calls (%s)", (resource) => {
  expect(Object.keys(dynamic[resource]).sort()).toEqual([
    "check",
    "configure",
    "create",
    "delete",
    "diff",
    "read",
    "update",
  ]);
});
