// What is private to Pulumi's SDK: where it is gone, the program goes on.
import type * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { isKnownOutput, outliveRefusal } from "../../../sdk/pulumiSdk.ts";

test.each([
  ["that is known", { isKnown: Promise.resolve(true) }, true],
  ["that is not known", { isKnown: Promise.resolve(false) }, false],
  ["of an SDK that does not say so", {}, true],
])("an output %s", async (_what, output, known) => {
  expect(await isKnownOutput(output as unknown as pulumi.Output<unknown>)).toBe(known);
});

test("a resource goes on whose hook is refused, and whose hook says nothing of that", async () => {
  const refused = { __registered: Promise.reject(new Error("registered twice")) };
  outliveRefusal(refused as unknown as pulumi.ErrorHook);
  await expect(refused.__registered).resolves.toBeUndefined();
  const silent = {};
  outliveRefusal(silent as unknown as pulumi.ErrorHook);
  expect(silent).toEqual({});
});
