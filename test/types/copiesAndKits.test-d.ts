// The types of a program's inputs and outputs of copies and kits.
import type * as pulumi from "@pulumi/pulumi";
import { expectTypeOf, test } from "vitest";
import type { AirGapKit, AirGapKitArgs, BundleCopy, BundleCopyArgs, StaticExport } from "../../sdk/index.ts";

declare const copy: BundleCopy;
declare const kit: AirGapKit;

type File = { file: string; version: pulumi.Output<string> };
type Sources = BundleCopyArgs["source"];

test("both accept an export, another stack's values of one, or a file with a label", () => {
  expectTypeOf<Sources>().toEqualTypeOf<AirGapKitArgs["source"]>();
  expectTypeOf<StaticExport>().toExtend<Sources>();
  expectTypeOf<{ domain: string; jobId: pulumi.Output<string> }>().toExtend<Sources>();
  expectTypeOf<File>().toExtend<Sources>();
  expectTypeOf<{ file: string }>().not.toExtend<Sources>();
  expectTypeOf<string>().not.toExtend<Sources>();
  expectTypeOf<ReturnType<pulumi.StackReference["getOutput"]>>().toExtend<Sources>();
  expectTypeOf<pulumi.Output<StaticExport>>().toExtend<Sources>();
  expectTypeOf<pulumi.Output<{ domain: string; jobId: string; status: string }>>().toExtend<Sources>();
  expectTypeOf<pulumi.Output<{ file: string }>>().not.toExtend<Sources>();
});

test("a copy has one destination, whose fields may be outputs", () => {
  type Places = BundleCopyArgs["destination"];
  expectTypeOf<{ folder: string; layout: "site" }>().toExtend<Places>();
  expectTypeOf<{ bucket: pulumi.Output<string>; linkLife: "24h" }>().toExtend<Places>();
  expectTypeOf<{ repository: string; base: pulumi.Output<string>; plainHttp: true }>().toExtend<Places>();
  expectTypeOf<{ folder: string; layout: "tar" }>().not.toExtend<Places>();
  expectTypeOf<{ base: string }>().not.toExtend<Places>();
});

test("a kit needs a source and a folder, and accepts names, values and sizes, plain or as outputs", () => {
  type Given = { source: File; folder: string };
  expectTypeOf<Given>().toExtend<AirGapKitArgs>();
  expectTypeOf<Pick<Given, "source">>().not.toExtend<AirGapKitArgs>();
  expectTypeOf<Pick<Given, "folder">>().not.toExtend<AirGapKitArgs>();
  expectTypeOf<
    Given & {
      chart: pulumi.Output<string>;
      images: pulumi.Output<string>[];
      platforms: string[];
      values: { replicas: pulumi.Output<number>; ingress: { hosts: string[] } };
      partSize: pulumi.Output<number>;
      since: undefined;
    }
  >().toExtend<AirGapKitArgs>();
  expectTypeOf<Given & { images: string }>().not.toExtend<AirGapKitArgs>();
  expectTypeOf<Given & { partSize: string }>().not.toExtend<AirGapKitArgs>();
});

test("fields that only some destinations or sources have may be missing, the others are always there", () => {
  expectTypeOf(copy.image).toEqualTypeOf<pulumi.Output<string | undefined>>();
  expectTypeOf(copy.bundleUrl).toEqualTypeOf<pulumi.Output<string | undefined>>();
  expectTypeOf(copy.sha256).toEqualTypeOf<pulumi.Output<string>>();
  expectTypeOf(kit.jobId).toEqualTypeOf<pulumi.Output<string | undefined>>();
  expectTypeOf(kit.path).toEqualTypeOf<pulumi.Output<string>>();
  expectTypeOf(kit.signed).toEqualTypeOf<pulumi.Output<boolean>>();
  expectTypeOf(kit.size).toEqualTypeOf<pulumi.Output<number>>();
});
