// The resources in company: inside components, beside siblings that use them, in other stacks.
import { expect, test } from "vitest";
import { bundle, poll, START } from "./requests.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "./world.ts";

onEachEngine("composition", (kind) => {
  test.concurrent(
    "C01 a component with two exports, one fed by the other: up, nothing to do, destroy",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.program(
        `class Manuals extends pulumi.ComponentResource {
           constructor(name) {
             super("test:index:Manuals", name);
             const parent = this;
             const en = new StaticExport("en", { domain: "docs.example.com" }, { parent });
             new StaticExport("de", { domain: "other.example.com", triggers: [en.jobId] }, { parent });
             this.registerOutputs({});
           }
         }
         new Manuals("manuals");`,
      );
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["create en", "create de"]);
      const [en, de] = [await world.exported("en"), await world.exported("de")];
      expect(world.requests()).toEqual(
        [en, de].flatMap(({ outputs: { jobId } }) => [START, poll(jobId), bundle(jobId)]),
      );
      expect(de.outputs["triggers"]).toEqual([en.outputs["jobId"]]);
      expect(de.outputs["__urn"]).toBe(de.urn);
      await previewIsEmpty(world);
      expect(stepsOf(succeeded(await world.stack.destroy()))).toEqual(["delete de", "delete en"]);
      expect(world.requests()).toEqual([]);
    },
  );
});
