// Private parts of Pulumi's SDK: without them, the program continues.
import type * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { ignoreRefusal, isKnownOutput } from "../../../sdk/pulumiSdk.ts";

test.each([
  ["that is known", { isKnown: Promise.resolve(true) }, true],
  ["that is not known", { isKnown: Promise.resolve(false) }, false],
  ["of an SDK that does not say so", {}, true],
])("an output %s", async (_what, output, known) => {
  expect(await isKnownOutput(output as unknown as pulumi.Output<unknown>)).toBe(known);
});

test("a resource continues whose hook is refused, and the refusal is silent", async () => {
  const refused = { __registered: Promise.reject(new Error("registered twice")) };
  ignoreRefusal(refused as unknown as pulumi.ErrorHook);
  await expect(refused.__registered).resolves.toBeUndefined();
  const silent = {};
  ignoreRefusal(silent as unknown as pulumi.ErrorHook);
  expect(silent).toEqual({});
});
