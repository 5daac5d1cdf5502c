// Runs that end before their export does: stopped by Ctrl-C, or killed. The next run continues the same job.
import { setTimeout as delay } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { PATIENTLY } from "../simulation/patience.ts";
import { docs } from "./programFolder.ts";
import { bundle, poll, START, startsOf, wholeExport } from "./requests.ts";
import { buildWorld, onEachEngine, previewIsEmpty, stepsOf, succeeded, type World } from "./world.ts";

const starts = (world: World): number => startsOf(world.service.requests).length;

async function polled(world: World): Promise<void> {
  await vi.waitUntil(() => world.service.requests.some(({ method }) => method === "GET"), PATIENTLY);
}

/** Waits until a job is recorded for the next run. */
async function noted(world: World): Promise<void> {
  await vi.waitUntil(() => world.resumeRecords().length > 0, PATIENTLY);
}

const killProviders = (world: World): void => {
  const pids = world.stack.providerPids();
  expect(pids).not.toEqual([]);
  for (const pid of pids) process.kill(pid, "SIGKILL");
};

onEachEngine("interruptions", (kind) => {
  test.concurrent(
    "L14 Ctrl-C during an update keeps the old link and ends the wait for an agent, and the next up continues both jobs",
    async (context) => {
      const world = await buildWorld(context, kind);
      await world.up(docs(`version: "v1"`));
      const before = await world.exported();
      world.program(`${docs(`version: "v2"`)} new AgentJob("agent", { projectId: "p1", id: "a1" });`);
      world.service.agentJobs.create("p1", { id: "a1" });
      const letJobsEnd = world.holdJobs();
      const interrupt = new AbortController();
      const running = world.stack.up({ signal: interrupt.signal });
      await noted(world);
      // the first poll has its answer once there is a second one
      const polls = (): unknown[] => world.service.requests.filter(({ path }) => path.startsWith("/v2/"));
      await vi.waitUntil(() => polls().length > 1, PATIENTLY);
      interrupt.abort();
      expect((await running).ok).toBe(false);
      letJobsEnd();
      expect((await world.exported()).outputs).toMatchObject({
        version: "v1",
        bundleUrl: before.outputs["bundleUrl"],
      });
      expect((await world.agentJob()).initErrors).toEqual([
        "agent job a1 of project p1: stopped: the run was cancelled. The next `pulumi up` continues to wait for it.",
      ]);
      world.service.agentJobs.transition("p1", "a1", "completed");
      expect(stepsOf(await world.up()).sort()).toEqual(["update agent", "update docs"]);
      expect(starts(world)).toBe(2); // one for each version
      expect((await world.exported()).outputs["version"]).toBe("v2");
    },
  );

  test.concurrent(
    "L14 Ctrl-C while the start is under way waits for its reply: the job is known and continues",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.program(docs());
      const interrupt = new AbortController();
      const undo = world.service.intercept(async ({ method, path }) => {
        if (`${method} ${path}` !== START) return undefined;
        interrupt.abort();
        await delay(400); // Ctrl-C arrives before the reply
        return undefined;
      });
      expect((await world.stack.up({ signal: interrupt.signal })).ok).toBe(false);
      undo();
      expect(stepsOf(await world.up())).toEqual(["update docs"]);
      expect(starts(world)).toBe(1);
      expect((await world.exported()).outputs["status"]).toBe("completed");
      expect(world.resumeRecords()).toEqual([]);
    },
  );

  test.concurrent(
    "L15 a provider that is killed while it waits, in a create and in an update: the next up continues the same job",
    async (context) => {
      const world = await buildWorld(context, kind);
      let letJobsEnd = world.holdJobs();
      world.program(docs(`version: "v1"`));
      let running = world.stack.up();
      await polled(world);
      const [first] = world.resumeRecords();
      expect(first).toMatchObject({ mode: 0o600 });
      killProviders(world);
      expect((await running).ok).toBe(false);
      await expect(world.exported()).rejects.toThrow("0 resources StaticExport");
      letJobsEnd();
      const up = await world.up();
      expect(up.logs.map(({ message }) => message)).toContainEqual(
        expect.stringContaining(`RESUMED: job ${String(first?.jobId)}`),
      );
      const before = await world.exported();
      expect(before.outputs["jobId"]).toBe(first?.jobId);
      expect(starts(world)).toBe(1);
      expect(world.resumeRecords()).toEqual([]);

      world.program(docs(`version: "v2"`));
      letJobsEnd = world.holdJobs();
      running = world.stack.up();
      await noted(world);
      const [second] = world.resumeRecords();
      killProviders(world);
      expect((await running).ok).toBe(false);
      letJobsEnd();
      expect((await world.exported()).outputs).toEqual(before.outputs);
      expect(stepsOf(await world.up())).toEqual(["update docs"]);
      expect((await world.exported()).outputs).toMatchObject({ version: "v2", jobId: second?.jobId });
      expect(starts(world)).toBe(2);
      expect(world.resumeRecords()).toEqual([]);
      await previewIsEmpty(world);
    },
  );

  test.concurrent.for([
    ["kill -9 of the whole run", "kill"],
    ["Ctrl-C twice", "terminate"],
  ] as const)("L15 %s while it waits: the next up continues the same job", async ([, way], context) => {
    const world = await buildWorld(context, kind);
    const letJobsEnd = world.holdJobs();
    world.program(docs());
    const end = new AbortController();
    const running = world.stack.up({ [way]: end.signal });
    await polled(world);
    const [record] = world.resumeRecords();
    end.abort();
    expect((await running).ok).toBe(false);
    letJobsEnd();
    await world.up();
    expect((await world.exported()).outputs["jobId"]).toBe(record?.jobId);
    expect(starts(world)).toBe(1);
    expect(world.resumeRecords()).toEqual([]);
  });

  test.concurrent(
    "L16 a provider that is killed between the start and its reply: at most one job is orphaned, and the next up works",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.program(docs());
      const undo = world.service.intercept(({ method, path }) => {
        if (`${method} ${path}` !== START) return undefined;
        killProviders(world);
        return { hangUp: "processed" };
      });
      expect((await world.stack.up()).ok).toBe(false);
      undo();
      await world.up();
      expect(starts(world)).toBe(2);
      expect((await world.exported()).outputs["status"]).toBe("completed");
      await previewIsEmpty(world);
    },
  );

  test.concurrent(
    "C15 Ctrl-C while one export of two is waited for: the second is not started, and the next up makes both",
    async (context) => {
      const world = await buildWorld(context, kind);
      const letJobsEnd = world.holdJobs();
      world.program(
        `for (const name of ["one", "two"]) new StaticExport(name, { domain: "docs.example.com" });`,
      );
      const interrupt = new AbortController();
      const running = world.stack.up({ signal: interrupt.signal, parallel: 1 });
      await polled(world);
      interrupt.abort();
      expect((await running).ok).toBe(false);
      expect(starts(world)).toBe(1);
      const begun = await world.exported();
      world.requests();
      letJobsEnd();
      const up = succeeded(await world.stack.up({ parallel: 1 }));
      const [first, other] = begun.urn.endsWith("::one") ? ["one", "two"] : ["two", "one"];
      expect(stepsOf(up).sort()).toEqual([`create ${other}`, `update ${first}`]);
      const { outputs } = await world.exported(other);
      expect(world.requestsSideBySide()).toEqual(
        [
          poll(begun.outputs["jobId"]),
          bundle(begun.outputs["jobId"]),
          ...wholeExport(outputs["jobId"]),
        ].sort(),
      );
      expect(starts(world)).toBe(2);
    },
  );
});
