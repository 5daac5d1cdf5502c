// The types of a static export's inputs and outputs, where a service may return more than needed.
import type * as pulumi from "@pulumi/pulumi";
import { expectTypeOf, test } from "vitest";
import type { StaticExport, StaticExportArgs } from "../../sdk/index.ts";

declare const docs: StaticExport;

test("exportOptions accepts any fields, with outputs as values", () => {
  expectTypeOf<{ paths: string[]; theme: pulumi.Output<string> }>().toExtend<
    NonNullable<StaticExportArgs["exportOptions"]>
  >();
  expectTypeOf<pulumi.Output<{ paths: string[] }>>().toExtend<StaticExportArgs["exportOptions"]>();
  expectTypeOf<string[]>().not.toExtend<StaticExportArgs["exportOptions"]>();
  expectTypeOf<string>().not.toExtend<StaticExportArgs["exportOptions"]>();
});

test("bundleSize is a number, or undefined where the service does not report it", () => {
  expectTypeOf(docs.bundleSize).toEqualTypeOf<pulumi.Output<number | undefined>>();
  expectTypeOf(docs.pageCount).toEqualTypeOf(docs.bundleSize);
});
