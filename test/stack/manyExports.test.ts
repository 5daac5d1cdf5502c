// Several exports at once: in one stack, and in two.
import { expect, test } from "vitest";
import { wholeExport } from "./requests.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "./world.ts";

onEachEngine("many exports", (kind) => {
  test.concurrent(
    "L30 two resources for one domain: two jobs, neither touches the other",
    async (context) => {
      const world = await buildWorld(context, kind);
      const program = (second: string): void =>
        world.program(
          `new StaticExport("first", { domain: "docs.example.com" });
         new StaticExport("second", { domain: "docs.example.com", version: "${second}" });`,
        );
      program("v1");
      succeeded(await world.stack.up());
      const first = await world.exported("first");
      const second = await world.exported("second");
      expect(first.outputs["jobId"]).not.toBe(second.outputs["jobId"]);
      expect(first.outputs["bundleUrl"]).toContain(first.outputs["jobId"]);
      expect(second.outputs["bundleUrl"]).toContain(second.outputs["jobId"]);
      expect(world.service.requests.filter(({ path }) => path.endsWith("/jobs"))).toHaveLength(2);
      world.requests();

      program("v2");
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["update second"]);
      expect(world.requests()).toEqual(wholeExport((await world.exported("second")).outputs["jobId"]));
      expect((await world.exported("first")).outputs).toEqual(first.outputs);

      world.program(`new StaticExport("first", { domain: "docs.example.com" });`);
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["delete second"]);
      expect(await world.exported()).toEqual(first);
      await previewIsEmpty(world);
    },
  );

  test.concurrent("L31 --continue-on-error: one of five fails, four are exported", async (context) => {
    const world = await buildWorld(context, kind);
    const program = (third: string): void =>
      world.program(
        `["docs", "other", "${third}", "docs", "other"].forEach((site, index) =>
           new StaticExport("export" + index, { domain: site + ".example.com" }));`,
      );
    program("free");
    const up = await world.stack.up({ continueOnError: true });
    expect(up.ok).toBe(false);
    expect(up.error).toContain("free.example.com: ");
    expect(up.error).toContain("enterprise plan");
    const made = (await world.stack.exportState()).filter(({ custom }) => custom);
    expect(made.map(({ id }) => id).sort()).toEqual([
      "docs.example.com",
      "docs.example.com",
      "other.example.com",
      "other.example.com",
    ]);
    for (const { outputs, initErrors } of made) {
      expect(outputs["status"]).toBe("completed");
      expect(outputs["bundleUrl"]).toContain(outputs["jobId"]);
      expect(initErrors).toEqual([]);
    }
    world.requests();
    program("docs");
    expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["create export2"]);
    expect(world.requests()).toEqual(wholeExport((await world.exported("export2")).outputs["jobId"]));
    await previewIsEmpty(world);
  });

  test.concurrent("L37 two stacks of one project, at once: neither knows of the other", async (context) => {
    const world = await buildWorld(context, kind, { jobDurationMs: 500 });
    world.program(`new StaticExport("docs", { domain: "docs.example.com", version: pulumi.getStack() });`);
    const second = await world.open({ stack: "second" });
    await Promise.all([world.stack.up(), second.up()].map(async (up) => succeeded(await up)));
    const one = (await world.exported("docs")).outputs;
    const other = (await world.exported("docs", second)).outputs;
    expect([one["version"], other["version"]]).toEqual(["test", "second"]);
    expect(one["jobId"]).not.toBe(other["jobId"]);
    expect(world.service.requests.filter(({ path }) => path.endsWith("/jobs"))).toHaveLength(2);

    expect(stepsOf(succeeded(await world.stack.destroy()))).toEqual(["delete docs"]);
    expect((await world.exported("docs", second)).outputs).toEqual(other);
    await previewIsEmpty(world, second);
  });
});
