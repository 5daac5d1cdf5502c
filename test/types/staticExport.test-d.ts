// What a program gives a static export and sees of it, where a service may say more than is needed.
import type * as pulumi from "@pulumi/pulumi";
import { expectTypeOf, test } from "vitest";
import type { StaticExport, StaticExportArgs } from "../../sdk/index.ts";

declare const docs: StaticExport;

test("exportOptions takes any fields, and outputs as their values", () => {
  expectTypeOf<{ paths: string[]; theme: pulumi.Output<string> }>().toExtend<
    NonNullable<StaticExportArgs["exportOptions"]>
  >();
  expectTypeOf<pulumi.Output<{ paths: string[] }>>().toExtend<StaticExportArgs["exportOptions"]>();
  expectTypeOf<string[]>().not.toExtend<StaticExportArgs["exportOptions"]>();
  expectTypeOf<string>().not.toExtend<StaticExportArgs["exportOptions"]>();
});

test("bundleSize is a number, or nothing where the service does not say", () => {
  expectTypeOf(docs.bundleSize).toEqualTypeOf<pulumi.Output<number | undefined>>();
  expectTypeOf(docs.pageCount).toEqualTypeOf(docs.bundleSize);
});
