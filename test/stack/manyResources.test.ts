// L29: what one provider process bears. Times are measured by `npm run bench -- hundred-exports`.
import { expect, test } from "vitest";
import { watchPeak } from "../bench/peakMemory.ts";
import { buildWorld, onEachEngine, stepsOf, succeeded } from "./world.ts";

const COUNT = 100;
/** Generous: a slow machine collects garbage late. What is kept for each resource would be far above it. */
const MAX_PEAK_MIB = 400;

onEachEngine("many resources", (kind) => {
  test.concurrent(
    "L29 a hundred exports at once: each with a job of its own, none lost, in bounded memory",
    async (context) => {
      const world = await buildWorld(context, kind, { jobDurationMs: 5_000 });
      world.program(
        `for (let i = 0; i < ${COUNT}; i++) new StaticExport("docs-" + i, { domain: "docs.example.com" });`,
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
      expect(stepsOf(succeeded(await world.stack.preview({ parallel: COUNT })))).toEqual([]);
      expect(world.requests()).toEqual([]);
    },
  );
});
