// L50: the row of a running export on a real engine. The provider's time passes faster than real time.
import { join } from "node:path";
import { expect, test } from "vitest";
import type { LogLine } from "../../engine/index.ts";
import { buildWorld, onEachEngine, succeeded } from "../world.ts";

const SPEED = 8;
/** How long the job's progress is stalled, by the provider's clock: longer than a row may. */
const STANDSTILL_MS = 32_000;

const gaps = (times: readonly number[]): number[] =>
  times.slice(1).map((time, index) => time - (times[index] ?? 0));

onEachEngine("progress", (kind) => {
  test("L50 progress shows on the resource's own row: on change, at most one a second, at least one in 30 s", async (context) => {
    const world = await buildWorld(context, kind, {
      env: {
        NODE_OPTIONS: `--import ${join(import.meta.dirname, "../fastClock.ts")}`,
        CLOCK_SPEED: String(SPEED),
      },
    });
    world.program(`new StaticExport("docs", { domain: "docs.example.com" });`);
    let polls = 0;
    let standsStillSince = Infinity;
    world.service.intercept(({ method }) => {
      if (method !== "GET" || (Date.now() - standsStillSince) * SPEED > STANDSTILL_MS) return undefined;
      polls++;
      if (polls === 3) standsStillSince = Date.now();
      const progress = Math.min(polls, 3) * 10;
      return { body: { status: "running", progress, pageCount: 2 * progress } };
    });
    const seen: { line: LogLine; atMs: number }[] = [];
    succeeded(await world.stack.up({ onLog: (line) => seen.push({ line, atMs: Date.now() }) }));
    const { urn } = await world.exported();

    expect(seen.filter(({ line }) => line.urn !== urn)).toEqual([]);
    const ephemeral = seen.filter(({ line }) => line.ephemeral);
    // the CLI leaves the last line on the row until the run ends
    expect(ephemeral.at(-1)?.line.message).toMatch(/^done in \d+/);
    expect(ephemeral.map(({ line }) => line.message)).not.toContain("");
    const rows = ephemeral.slice(0, -1);
    const withoutForecast = (line: string): string => line.replace(/ · ~[^·]+/, "");
    const texts = rows.map(({ line }) => withoutForecast(line.message));
    expect(texts[0]).toBe("starting the export");
    expect([...new Set(texts)]).toEqual(
      expect.arrayContaining(["20% · 40 pages · running", "30% · 60 pages · running"]),
    );
    expect(texts.filter((text) => text.startsWith("30%")).length).toBeGreaterThanOrEqual(2);
    for (const { line } of rows) expect(line.severity).toBe("info");
    // the unit tests of the row check that it is at most one a second
    expect(SPEED * Math.max(...gaps(rows.map(({ atMs }) => atMs)))).toBeLessThan(30_000);
    // a persistent line is logged once
    const lasting = seen.filter(({ line }) => !line.ephemeral).map(({ line }) => line.message);
    expect(new Set(lasting).size).toBe(lasting.length);
  });
});
