// L29, C03: a hundred exports in one provider process, and the output. `npm run bench -- hundred-exports` measures time and
// memory; `../faults/slow/` measures memory, too.
import { expect, test } from "vitest";
import { buildWorld, onEachEngine, stepsOf, succeeded } from "../world.ts";

const COUNT = 100;
/** Lines of an `up` without changes, for any number of resources. */
const MAX_LINES = 60;

onEachEngine("many resources", (kind) => {
  test.concurrent(
    "L29, C03 a hundred exports in ten components at once: each with its own job, none lost; without changes, no line for any of them",
    async (context) => {
      const world = await buildWorld(context, kind, { jobDurationMs: 2_000 });
      world.program(
        `for (let team = 0; team < 10; team++) {
           const parent = new pulumi.ComponentResource("test:index:Team", "team-" + team);
           for (let i = 0; i < ${COUNT / 10}; i++)
             new StaticExport("docs-" + team + "-" + i, { domain: "docs.example.com" }, { parent });
         }`,
      );
      succeeded(await world.stack.up({ parallel: COUNT }));
      const { requests } = world.service;
      const count = (end: RegExp): number =>
        requests.filter(({ path, method }) => end.test(`${method} ${path}`)).length;
      expect(count(/^POST .*\/jobs$/)).toBe(COUNT);
      expect(count(/^POST .*\/bundle$/)).toBe(COUNT);
      const exports = (await world.stack.exportState()).filter(({ type }) => type.endsWith(":StaticExport"));
      const each = (name: string): Set<unknown> => new Set(exports.map(({ outputs }) => outputs[name]));
      expect(exports).toHaveLength(COUNT);
      expect(each("status")).toEqual(new Set(["completed"]));
      expect(each("jobId").size).toBe(COUNT);
      expect(each("bundleUrl").size).toBe(COUNT);

      world.requests();
      const again = succeeded(await world.stack.up({ parallel: COUNT }));
      expect(stepsOf(again)).toEqual([]);
      expect(world.requests()).toEqual([]);
      expect(again.summary).toEqual({ same: COUNT + 10 + 1 }); // with the components and the stack
      expect(again.logs).toEqual([]); // the lines below are the engine's own
      expect(again.text).not.toMatch(/docs-\d-\d/);
      expect(again.text.trim().split("\n").length).toBeLessThanOrEqual(MAX_LINES);
    },
  );
});
