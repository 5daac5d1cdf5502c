// The types of a fleet's exports and outputs.
import type * as pulumi from "@pulumi/pulumi";
import { expectTypeOf, test } from "vitest";
import type { fleetOutputs } from "../../sdk/index.ts";
import { type BundleCopy, type StaticExport, type UnmanagedStaticExport } from "../../sdk/index.ts";

type Fleet = Parameters<typeof fleetOutputs>[0];

test("a fleet is a list or a record of exports or copies; an export from get has no link that could be due", () => {
  expectTypeOf<StaticExport[]>().toExtend<Fleet>();
  expectTypeOf<readonly (StaticExport | BundleCopy)[]>().toExtend<Fleet>();
  expectTypeOf<Record<string, StaticExport>>().toExtend<Fleet>();
  expectTypeOf<{ docs: StaticExport; blog: BundleCopy }>().toExtend<Fleet>();
  expectTypeOf<UnmanagedStaticExport[]>().not.toExtend<Fleet>();
  // these lack the values by which the exports would be found
  expectTypeOf<Map<string, StaticExport>>().not.toExtend<Fleet>();
  expectTypeOf<Set<StaticExport>>().not.toExtend<Fleet>();
  expectTypeOf<StaticExport>().not.toExtend<Fleet>();
});

test("the number is always there, the times where one export has them", () => {
  type Time = pulumi.Output<string | undefined>;
  expectTypeOf<ReturnType<typeof fleetOutputs>>().toEqualTypeOf<{
    sites: pulumi.Output<number>;
    renewAfter: Time;
    expiresAt: Time;
  }>();
});
