// Ctrl-C during the wait for an export. This measures time, so it runs with nothing beside it.
import { expect, test, vi } from "vitest";
import { PATIENTLY } from "../../simulation/patience.ts";
import { docs } from "../programFolder.ts";
import { bundle, poll, startsOf } from "../requests.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf } from "../world.ts";

onEachEngine("Ctrl-C", (kind) => {
  test("L14 Ctrl-C ends the wait within two seconds with the job saved, and the next up continues it", async (context) => {
    const world = await buildWorld(context, kind);
    const letJobsEnd = world.holdJobs();
    world.program(docs());
    const interrupt = new AbortController();
    let lastSaidAt = 0;
    const onText = (): void => {
      lastSaidAt = performance.now();
    };
    const running = world.stack.up({ signal: interrupt.signal, onText });
    await vi.waitUntil(() => world.service.requests.some(({ method }) => method === "GET"), PATIENTLY);
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
    expect(stepsOf(await world.up())).toEqual(["update docs"]);
    expect(world.requests()).toEqual([poll(outputs["jobId"]), bundle(outputs["jobId"])]);
    expect(startsOf(world.service.requests)).toHaveLength(1);
    const after = (await world.exported()).outputs;
    expect(after["status"]).toBe("completed");
    expect(after["bundleUrl"]).toContain("http");
    expect(world.resumeRecords()).toEqual([]);
    await previewIsEmpty(world);
  });
});
