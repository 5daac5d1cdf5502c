// The function of the plugin in previews: its values are known although a copy has no value of some outputs among its arguments.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "tar";
import { expect, test } from "vitest";
import { unknownValue } from "../engine/index.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "./world.ts";

const IMAGE = `r.example.com/site@sha256:${"a0".repeat(32)}`;
const program = (keep: number): string => `
  const copy = new BundleCopy("copy", {
    source: { file: "site.tar.gz", version: "v1" }, destination: { folder: "./copies" }, keep: ${keep},
  });
  const { jobId, sha256, version, bundleUrl } = copy;
  const image = copy.image.apply((own) => own ?? "${IMAGE}");
  const args = { deploymentKind: "air-gapped", image, jobId, sha256, version };
  module.exports = {
    values: installationValuesOutput(args).values,
    all: installationValuesOutput({ ...args, bundleUrl }).values,
  };`;
const installed = { staticExport: { enabled: true, version: "v1" }, siteImage: IMAGE };

onEachEngine(
  {
    name: "installationValues",
    only: { adapter: "native", reason: "a function of the plugin" },
    withBoth: true,
  },
  (kind) => {
    test.concurrent(
      "are known in a preview that makes no other copy, also where the copy has no job and no link",
      async (context) => {
        const world = await buildWorld(context, kind);
        const [cwd, file] = [world.programFolder, join(world.programFolder, "site.tar.gz")];
        writeFileSync(join(cwd, "index.html"), "<h1>Welcome</h1>");
        create({ file, cwd, gzip: true, sync: true }, ["index.html"]);
        world.program(program(1));
        const first = succeeded(await world.stack.preview());
        expect(first.outputs["values"]?.value).toBe(unknownValue); // the digest is not known yet
        const { values } = (await world.up()).outputs;
        expect(values).toEqual({ value: installed, secret: false });

        await previewIsEmpty(world);
        expect(succeeded(await world.stack.preview()).outputs).toEqual({
          values,
          all: { value: "[secret]", secret: true }, // its argument bundleUrl is one
        });
        world.program(program(2));
        const updating = succeeded(await world.stack.preview());
        expect(stepsOf(updating)).toEqual(["update copy"]);
        expect(updating.outputs["values"]).toEqual(values);
        expect(updating.outputs["all"]?.value).not.toBe(unknownValue);
      },
    );

    test.concurrent("a state of a version that stored no null has no diff", async (context) => {
      const world = await buildWorld(context, kind);
      const [cwd, file] = [world.programFolder, join(world.programFolder, "site.tar.gz")];
      writeFileSync(join(cwd, "index.html"), "<h1>Welcome</h1>");
      create({ file, cwd, gzip: true, sync: true }, ["index.html"]);
      await world.up(program(1));
      const text = JSON.stringify(await world.stack.exportState(), (_, value: unknown) => value ?? undefined);
      await world.stack.importState(JSON.parse(text) as never);
      await previewIsEmpty(world);
      const refreshed = succeeded(await world.stack.refresh());
      expect(refreshed.summary).toEqual({ same: 2 });
      expect(refreshed.text).not.toContain("null");
      await previewIsEmpty(world);
    });
  },
);
