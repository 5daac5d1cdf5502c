// Previews of what is not known yet.
import { expect, test } from "vitest";
import { unknownValue } from "../engine/index.ts";
import { wholeExport } from "./requests.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "./world.ts";

onEachEngine("previews", (kind) => {
  test.concurrent(
    "L32 a domain that is not known yet: no request, no crash, outputs unknown",
    async (context) => {
      const world = await buildWorld(context, kind);
      const program = (version: string): void =>
        world.program(
          `const first = new StaticExport("first", { domain: "docs.example.com", version: "${version}" });
         const domain = first.jobId.apply(() => "other.example.com");
         const second = new StaticExport("second", { domain });
         module.exports = { domain: second.domain, pages: second.pageCount, link: second.bundleUrl };`,
        );
      program("v1");
      const preview = succeeded(await world.stack.preview());
      expect(stepsOf(preview)).toEqual(["create first", "create second"]);
      expect(preview.outputs["domain"]?.value).toBe(unknownValue);
      expect(preview.outputs["pages"]?.value).toBe(unknownValue);
      expect(world.requests()).toEqual([]);
      const up = succeeded(await world.stack.up());
      expect(up.outputs["domain"]?.value).toBe("other.example.com");
      const before = await world.exported("second");
      world.requests();

      program("v2"); // the preview cannot know that the domain stays
      const next = succeeded(await world.stack.preview());
      expect(stepsOf(next)).toContain("update first");
      expect(next.summary.replace).toBe(1);
      expect(world.requests()).toEqual([]);
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["update first"]);
      expect(world.requests()).toEqual(wholeExport((await world.exported("first")).outputs["jobId"]));
      expect((await world.exported("second")).outputs).toEqual(before.outputs);
      await previewIsEmpty(world);
    },
  );
});
