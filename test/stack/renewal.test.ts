// The life of the link: when it is renewed, by what, and by whose clock.
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { bundle, poll, START } from "./requests.ts";
import { buildWorld, onEachEngine, stepsOf, succeeded, type World } from "./world.ts";

const DOCS = `new StaticExport("docs", { domain: "docs.example.com", renewBefore: "1s" });`;
/** With this life and the program's `renewBefore`, a link is due for renewal two seconds after it was minted. */
const linkLifetimeMs = 3_000;

/** Waits until the link is due, by the service's clock, which is this process's. */
async function due(world: World): Promise<void> {
  const { renewAfter } = (await world.exported()).outputs;
  await vi.waitUntil(() => Date.now() >= Date.parse(String(renewAfter)), { timeout: 10_000 });
}

const skewed = (hours: number): Record<string, string> => ({
  NODE_OPTIONS: `--import ${join(import.meta.dirname, "skewedClock.ts")}`,
  CLOCK_SKEW_MS: String(hours * 3_600_000),
});

onEachEngine("renewal", (kind) => {
  test.concurrent(
    "L45 a link inside its renewal window is renewed by one request for the same job",
    async (context) => {
      const world = await buildWorld(context, kind, { linkLifetimeMs });
      world.program(DOCS);
      succeeded(await world.stack.up());
      const before = await world.exported();
      await due(world);
      world.requests();
      const preview = succeeded(await world.stack.preview());
      expect(stepsOf(preview)).toEqual(["update docs"]);
      expect(preview.logs.map(({ message }) => message)).toContainEqual(
        expect.stringMatching(/^RENEW_WINDOW: the link to job .* is due for renewal since 20/),
      );
      expect(world.requests()).toEqual([]);
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["update docs"]);
      const { outputs } = await world.exported();
      expect(world.requests()).toEqual([bundle(before.outputs["jobId"])]);
      expect(outputs).toMatchObject({ jobId: before.outputs["jobId"], version: before.outputs["version"] });
      expect(outputs["bundleUrl"]).not.toBe(before.outputs["bundleUrl"]);
    },
  );

  test.concurrent("L45 a link that has ended is renewed by one request for the same job", async (context) => {
    const world = await buildWorld(context, kind, { linkLifetimeMs: 3_500 });
    world.program(`new StaticExport("docs", { domain: "docs.example.com" });`);
    succeeded(await world.stack.up());
    const before = await world.exported();
    await vi.waitUntil(() => Date.now() > Date.parse(String(before.outputs["expiresAt"])), {
      timeout: 5_000,
    });
    expect((await fetch(String(before.outputs["bundleUrl"]))).status).toBe(403);
    world.requests();
    expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["update docs"]);
    expect(world.requests()).toEqual([bundle(before.outputs["jobId"])]);
    expect((await world.exported()).outputs["jobId"]).toBe(before.outputs["jobId"]);
  });

  test.concurrent(
    "an export to which nothing happens says nothing, in previews and in up",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.program(`new StaticExport("docs", { domain: "docs.example.com" });`);
      succeeded(await world.stack.up());
      for (const run of ["preview", "up"] as const) {
        const { logs } = succeeded(await world.stack[run]());
        expect(logs.filter(({ urn }) => urn?.endsWith("::docs"))).toEqual([]);
      }
    },
  );

  test.concurrent(
    "L46 a link that is due while its job is gone: a new job is started, and a warning says why",
    async (context) => {
      const world = await buildWorld(context, kind, { linkLifetimeMs });
      world.program(DOCS);
      succeeded(await world.stack.up());
      const before = await world.exported();
      await due(world);
      await world.service.reset();
      world.requests();
      const up = succeeded(await world.stack.up());
      expect(stepsOf(up)).toEqual(["update docs"]);
      const { outputs } = await world.exported();
      expect(outputs["jobId"]).not.toBe(before.outputs["jobId"]);
      expect(world.requests()).toEqual([
        bundle(before.outputs["jobId"]),
        START,
        poll(outputs["jobId"]),
        bundle(outputs["jobId"]),
      ]);
      const warnings = up.logs.filter(({ severity }) => severity === "warning").map(({ message }) => message);
      expect(warnings).toEqual([
        `JOB_GONE: the service does not have job ${String(before.outputs["jobId"])} any more: exporting again`,
      ]);
    },
  );

  test.concurrent(
    "C11 a renewBefore longer than the link's life: one renewal in each half of it, one warning with both figures, and what it feeds stays",
    async (context) => {
      const world = await buildWorld(context, kind, { linkLifetimeMs: 600_000 });
      world.program(
        `for (const [name, renewBefore] of [["longer", "48h"], ["equal", "10m"]]) {
           const site = new StaticExport(name, { domain: "docs.example.com", renewBefore });
           new StaticExport(name + "-fed", { domain: "other.example.com", triggers: [site.bundleUrl] });
         }`,
      );
      const told = (): string[] =>
        logs.filter(({ severity }) => severity === "warning").map(({ message }) => message);
      let { logs } = succeeded(await world.stack.up());
      const jobs = [await world.exported("longer"), await world.exported("equal")].map(
        ({ outputs }) => outputs,
      );
      const warning = (asked: string, { jobId }: Record<string, unknown>): string =>
        `renewBefore is ${asked}, more than half of the life of the link to job ${String(jobId)}: it is renewed 5m before its end`;
      expect(told().sort()).toEqual([warning("10m", jobs[1] ?? {}), warning("48h", jobs[0] ?? {})]);
      world.requests();
      // at once, before half of the life is over
      ({ logs } = succeeded(await world.stack.up()));
      expect(told()).toEqual([]);
      expect(world.requests()).toEqual([]);
      for (const { mintedAtMs, renewAfter, expiresAt } of jobs.map((outputs) => ({
        ...(outputs["__bookkeeping"] as { mintedAtMs: number }),
        renewAfter: Date.parse(String(outputs["renewAfter"])),
        expiresAt: Date.parse(String(outputs["expiresAt"])),
      }))) {
        expect(renewAfter - mintedAtMs).toBeGreaterThanOrEqual((expiresAt - mintedAtMs) / 2);
      }
    },
  );

  test.concurrent(
    "C11 a link of two seconds is renewed at most once per half of its life, and no request is made twice for it",
    async (context) => {
      const world = await buildWorld(context, kind, { linkLifetimeMs: 2_000 });
      world.program(`new StaticExport("docs", { domain: "docs.example.com", renewBefore: "1h" });`);
      const mintedAt: number[] = [];
      world.service.intercept(({ path }) => {
        if (path.endsWith("/bundle")) mintedAt.push(performance.now());
        return undefined;
      });
      // as many runs as it takes until the link was renewed twice
      for (let runs = 0; mintedAt.length < 3 && runs < 50; runs++) succeeded(await world.stack.up());
      for (const [before, at] of mintedAt.slice(1).map((at, index) => [mintedAt[index] ?? 0, at] as const)) {
        expect(at - before).toBeGreaterThanOrEqual(1_000);
      }
      expect(mintedAt.length).toBe(3);
    },
  );

  test.concurrent("L47, E06 a clock three hours ahead leads to no false renewal", async (context) => {
    const world = await buildWorld(context, kind, { linkLifetimeMs: 3_600_000, env: skewed(3) });
    world.program(`new StaticExport("docs", { domain: "docs.example.com" });`);
    succeeded(await world.stack.up());
    world.requests();
    expect(stepsOf(succeeded(await world.stack.preview()))).toEqual([]);
    expect(stepsOf(succeeded(await world.stack.up()))).toEqual([]);
    expect(world.requests()).toEqual([]);
  });

  test.concurrent("L47, E06 a clock three hours behind leads to no trust in a dead link", async (context) => {
    const world = await buildWorld(context, kind, { linkLifetimeMs, env: skewed(-3) });
    world.program(DOCS);
    succeeded(await world.stack.up());
    await due(world);
    const { jobId } = (await world.exported()).outputs;
    world.requests();
    expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["update docs"]);
    expect(world.requests()).toEqual([bundle(jobId)]);
  });
});
