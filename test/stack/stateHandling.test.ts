// Edits of a state by users, and the operations that read and write it in another order.
import { expect, test } from "vitest";
import { docs } from "./programFolder.ts";
import { poll, startsOf, wholeExport } from "./requests.ts";
import { buildWorld, cliOnly, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "./world.ts";

onEachEngine("state", (kind) => {
  test.concurrent(
    "L38, L39 a state that is exported, edited, emptied and imported again, then encrypted again: no diff, and the link is the same secret",
    async (context) => {
      const world = await buildWorld(context, kind, {
        secretConfig: { "docs-hosting:adminApiKey": "svc_of-the-config" },
      });
      await world.up(docs());
      const before = await world.exported();
      const state = await world.stack.exportState();
      for (const { outputs } of state) {
        if (outputs["pageCount"] === 1) outputs["pageCount"] = 99; // an error of the editing user
      }
      await world.stack.importState([]);
      expect(await world.stack.exportState()).toEqual([]);
      await world.stack.importState(state);
      expect(await world.exported()).toEqual({ ...before, outputs: { ...before.outputs, pageCount: 99 } });
      await previewIsEmpty(world);

      succeeded(await world.stack.refresh());
      expect(world.requests()).toEqual([poll(before.outputs["jobId"])]);
      const mended = await world.exported();
      expect(mended.outputs).toEqual(before.outputs);
      expect(mended.secretOutputs).toEqual(["bundleUrl"]);

      await world.stack.changePassphrase("battery staple");
      expect(await world.exported()).toEqual(mended);
      await previewIsEmpty(world);
      await expect(world.open({})).rejects.toThrow("incorrect passphrase");
      const stack = await world.open({ passphrase: "battery staple" });
      expect(await world.exported("docs", stack)).toEqual(mended);
      expect((await fetch(String(before.outputs["bundleUrl"]))).status).toBe(200);
      await previewIsEmpty(world, stack);
      expect(await world.everythingWritten()).not.toContain(before.outputs["bundleUrl"]);
    },
  );

  test.concurrent("L42 up --refresh: one request, and a missing job is exported again", async (context) => {
    const world = await buildWorld(context, kind);
    await world.up(docs());
    const before = await world.exported();
    world.requests();
    expect(stepsOf(succeeded(await world.stack.up({ refresh: true })))).toEqual([]);
    expect(world.requests()).toEqual([poll(before.outputs["jobId"])]);
    expect((await world.exported()).outputs).toEqual(before.outputs);

    await world.service.reset();
    world.requests();
    expect(stepsOf(succeeded(await world.stack.up({ refresh: true })))).toContain("create docs");
    const { jobId } = (await world.exported()).outputs;
    expect(startsOf(world.service.requests)).toHaveLength(1);
    expect(world.requests(({ jobId: of }) => of !== before.outputs["jobId"])).toEqual(wholeExport(jobId));
    await previewIsEmpty(world);
  });

  test.concurrent("L42 refresh --run-program and destroy --run-program", async (context) => {
    cliOnly(context, kind, "the test engine has no --run-program");
    const world = await buildWorld(context, kind);
    await world.up(docs());
    const before = await world.exported();
    world.requests();
    succeeded(await world.stack.refresh({ runProgram: true }));
    expect(world.requests()).toEqual([poll(before.outputs["jobId"])]);
    expect((await world.exported()).outputs).toEqual(before.outputs);
    await previewIsEmpty(world);

    expect(stepsOf(succeeded(await world.stack.destroy({ runProgram: true })))).toEqual(["delete docs"]);
    expect(world.requests()).toEqual([]);
    expect(await world.stack.exportState()).toEqual([]);
  });
});
