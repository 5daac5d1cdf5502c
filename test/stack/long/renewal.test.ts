// The life of the link: when it is renewed, by what, and by which clock.
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { unknownValue } from "../../engine/index.ts";
import { PATIENTLY } from "../../simulation/patience.ts";
import { docs } from "../programFolder.ts";
import { bundle, wholeExport } from "../requests.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf, succeeded, type World } from "../world.ts";

const DOCS = docs(`renewBefore: "1s"`);
/** With this life and the program's `renewBefore`, a link is due for renewal two seconds after its creation. */
const linkLifetimeMs = 3_000;
/** A clock that is corrected by a `Date` header may be this much late: the header counts whole seconds, and replies take time. */
const CORRECTED_CLOCK_LATE_MS = 2_000;

/** Waits until the link is due, by the service's clock, which is this process's, and a while longer. */
async function due(world: World, moreMs = 0): Promise<void> {
  const { renewAfter } = (await world.exported()).outputs;
  await vi.waitUntil(() => Date.now() >= Date.parse(String(renewAfter)) + moreMs, PATIENTLY);
}

const skewed = (hours: number): Record<string, string> => ({
  NODE_OPTIONS: `--import ${join(import.meta.dirname, "../skewedClock.ts")}`,
  CLOCK_SKEW_MS: String(hours * 3_600_000),
});

onEachEngine("renewal", (kind) => {
  test.concurrent(
    "L45, L46 a link inside its renewal window is renewed by one request for the same job; where that is gone a new one is started, and a warning says why",
    async (context) => {
      const world = await buildWorld(context, kind, { linkLifetimeMs });
      await world.up(DOCS);
      const before = await world.exported();
      await due(world);
      world.requests();
      const preview = succeeded(await world.stack.preview());
      expect(stepsOf(preview)).toEqual(["update docs"]);
      expect(preview.logs.map(({ message }) => message)).toContainEqual(
        expect.stringMatching(/^RENEW_WINDOW: the link to job .* is due for renewal since 20/),
      );
      expect(world.requests()).toEqual([]);
      expect(stepsOf(await world.up())).toEqual(["update docs"]);
      const { jobId, version, bundleUrl } = (await world.exported()).outputs;
      expect(world.requests()).toEqual([bundle(jobId)]);
      expect([jobId, version]).toEqual([before.outputs["jobId"], before.outputs["version"]]);
      expect(bundleUrl).not.toBe(before.outputs["bundleUrl"]);

      await due(world);
      await world.service.reset();
      world.requests();
      const up = await world.up();
      expect(stepsOf(up)).toEqual(["update docs"]);
      const { outputs } = await world.exported();
      expect(outputs["jobId"]).not.toBe(jobId);
      expect(world.requests()).toEqual([bundle(jobId), ...wholeExport(outputs["jobId"])]);
      const warnings = up.logs.filter(({ severity }) => severity === "warning").map(({ message }) => message);
      const gone = `JOB_GONE: the service no longer has job ${String(jobId)}: exporting again`;
      expect(warnings).toEqual([expect.stringContaining(gone)]);
    },
  );

  test.concurrent(
    "L45 a renewal in a preview: with the native adapter its dependants are unchanged; with the dynamic one the preview shows a replacement that the up does not make",
    async (context) => {
      const world = await buildWorld(context, kind, { linkLifetimeMs });
      world.service.intercept(({ path }) =>
        path.startsWith("/v2/") ? { body: { id: path.split("/").at(-1), status: "completed" } } : undefined,
      );
      await world.up(
        `const docs = ${DOCS} new AgentJob("fed", { projectId: "p1", id: docs.jobId });
         module.exports = { jobId: docs.jobId };`,
      );
      const { jobId } = (await world.exported()).outputs;
      await due(world);
      world.requests();
      const preview = succeeded(await world.stack.preview());
      const isPredicted = kind.adapter === "native";
      expect(stepsOf(preview).filter((step) => !step.includes("replaced"))).toEqual(
        isPredicted ? ["update docs"] : ["update docs", "create-replacement fed", "replace fed"],
      );
      expect(preview.outputs["jobId"]?.value).toBe(isPredicted ? jobId : unknownValue);
      expect(world.requests()).toEqual([]);
      expect(stepsOf(await world.up())).toEqual(["update docs"]);
      expect(world.requests()).toEqual([bundle(jobId)]);
    },
  );

  test.concurrent("L47, E06 a clock three hours ahead causes no false renewal", async (context) => {
    const world = await buildWorld(context, kind, { linkLifetimeMs: 3_600_000, env: skewed(3) });
    await world.up(docs());
    await previewIsEmpty(world);
  });

  test.concurrent("L47, E06 a clock three hours behind causes no trust in a dead link", async (context) => {
    const world = await buildWorld(context, kind, { linkLifetimeMs, env: skewed(-3) });
    await world.up(DOCS);
    await due(world, CORRECTED_CLOCK_LATE_MS);
    const { jobId } = (await world.exported()).outputs;
    world.requests();
    expect(stepsOf(await world.up())).toEqual(["update docs"]);
    expect(world.requests()).toEqual([bundle(jobId)]);
  });
});
