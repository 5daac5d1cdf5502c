// Ctrl-C while an export is awaited. These measure time, so they run one after the other, with nothing beside them.
import { expect, test, vi } from "vitest";
import { bundle, poll, readRequests, START } from "../requests.ts";
import { buildWorld, onEachEngine, stepsOf, succeeded, type World } from "../world.ts";

async function goesOn(world: World, steps: string[]): Promise<void> {
  expect(stepsOf(succeeded(await world.stack.up()))).toEqual(steps);
  expect(readRequests(world.service.requests).filter((request) => request === START)).toHaveLength(1);
  const { outputs } = await world.exported();
  expect(outputs).toMatchObject({
    status: "completed",
    bundleUrl: expect.stringContaining("http") as string,
  });
  expect(world.resumeRecords()).toEqual([]);
  expect(stepsOf(succeeded(await world.stack.preview()))).toEqual([]);
}

onEachEngine("Ctrl-C", (kind) => {
  test("L14 Ctrl-C ends the wait within two seconds with the job saved, and the next up goes on with it", async (context) => {
    const world = await buildWorld(context, kind);
    const letJobsEnd = world.holdJobs();
    world.program(`new StaticExport("docs", { domain: "docs.example.com" });`);
    const interrupt = new AbortController();
    let lastSaidAt = 0;
    const onText = (): void => {
      lastSaidAt = performance.now();
    };
    const running = world.stack.up({ signal: interrupt.signal, onText });
    await vi.waitUntil(() => world.service.requests.some(({ method }) => method === "GET"), {
      timeout: 60_000,
    });
    const stoppedAt = performance.now();
    interrupt.abort();
    const up = await running;
    expect(lastSaidAt - stoppedAt).toBeLessThan(2_000);
    expect(up.ok).toBe(false);
    const { outputs, initErrors } = await world.exported();
    expect(initErrors).toEqual([
      expect.stringMatching(/^docs\.example\.com: stopped: the run was cancelled\. Nothing is lost: job /),
    ]);
    world.requests();
    letJobsEnd();
    await goesOn(world, ["update docs"]);
    expect(world.requests()).toEqual([poll(outputs["jobId"]), bundle(outputs["jobId"])]);
  });

  test("L14 Ctrl-C while the start is under way waits for its reply: the job is known and goes on", async (context) => {
    const world = await buildWorld(context, kind);
    world.program(`new StaticExport("docs", { domain: "docs.example.com" });`);
    const interrupt = new AbortController();
    const undo = world.service.intercept(async ({ method, path }) => {
      if (`${method} ${path}` !== START) return undefined;
      interrupt.abort();
      await new Promise((resolve) => setTimeout(resolve, 400)); // Ctrl-C arrives before the reply
      return undefined;
    });
    expect((await world.stack.up({ signal: interrupt.signal })).ok).toBe(false);
    undo();
    await goesOn(world, ["update docs"]);
  });
});
