// A second attempt within one operation: Pulumi's error hooks may request one, and then call `create` or `update` again with the
// inputs of the first attempt. The results of that one are in no state yet.
import { expect, test } from "vitest";
import { docs } from "./programFolder.ts";
import { wholeExport } from "./requests.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf } from "./world.ts";

onEachEngine("retries", (kind) => {
  test.concurrent(
    "L48 an OnError hook tries again: the job of the first attempt continues",
    async (context) => {
      const world = await buildWorld(context, kind);
      const program = (version: string): string =>
        `const onError = [new pulumi.ErrorHook("again", () => true)];
         ${docs(`version: "${version}"`, "{ hooks: { onError } }")}`;
      for (const [version, step] of [
        ["v1", "create docs"],
        ["v2", "update docs"],
      ] as const) {
        let polls = 0;
        const undo = world.service.intercept(({ method }) =>
          method === "GET" && ++polls === 1 ? { status: 501, body: { error: "not now" } } : undefined,
        );
        world.requests();
        const up = await world.up(program(version));
        undo();
        expect(stepsOf(up)).toEqual([step]);
        const { outputs } = await world.exported();
        expect(outputs["version"]).toBe(version);
        expect(world.requests()).toEqual(wholeExport(outputs["jobId"]));
      }
      // The CLI (3.260, step.go) keeps the init errors of a failed attempt although the next one succeeded, and so requests one
      // more update. It costs no request.
      expect((await world.exported()).initErrors).toHaveLength(1);
      world.requests();
      expect(stepsOf(await world.up())).toEqual(["update docs"]);
      expect(world.requests()).toEqual([]);
      expect((await world.exported()).initErrors).toEqual([]);
      await previewIsEmpty(world);
    },
  );
});
