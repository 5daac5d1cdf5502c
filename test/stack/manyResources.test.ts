// L29, C03: what one provider process bears, and what one reads of a hundred exports. Times are measured by `npm run bench -- hundred-exports`.
import { expect, test } from "vitest";
import { watchPeak } from "../bench/peakMemory.ts";
import { buildWorld, onEachEngine, stepsOf, succeeded } from "./world.ts";

const COUNT = 100;
/** Generous: a slow machine collects garbage late. What is kept for each resource would be far above it. */
const MAX_PEAK_MIB = 400;
/** Of an `up` that has nothing to do, whatever its number of resources. */
const MAX_LINES = 60;

onEachEngine("many resources", (kind) => {
  test.concurrent(
    "L29, C03 a hundred exports in ten components at once: each with a job of its own, none lost, in bounded memory; where nothing happens, not a line on any",
    async (context) => {
      const world = await buildWorld(context, kind, { jobDurationMs: 5_000 });
      world.program(
        `for (let team = 0; team < 10; team++) {
           const parent = new pulumi.ComponentResource("test:index:Team", "team-" + team);
           for (let i = 0; i < ${COUNT / 10}; i++)
             new StaticExport("docs-" + team + "-" + i, { domain: "docs.example.com" }, { parent });
         }`,
      );
      const memory = watchPeak(() => world.stack.providerPids());
      succeeded(await world.stack.up({ parallel: COUNT }));
      const peakMiB = memory.peakMiB();

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
      if (process.platform === "linux") expect(peakMiB).toBeGreaterThan(10); // it was measured
      expect(peakMiB ?? 0).toBeLessThan(MAX_PEAK_MIB);

      world.requests();
      const again = succeeded(await world.stack.up({ parallel: COUNT }));
      expect(stepsOf(again)).toEqual([]);
      expect(world.requests()).toEqual([]);
      expect(again.summary).toEqual({ same: COUNT + 10 + 1 }); // with the components and the stack
      expect(again.text).not.toMatch(/docs-\d-\d/);
      expect(again.text.trim().split("\n").length).toBeLessThanOrEqual(MAX_LINES);
    },
  );
});
