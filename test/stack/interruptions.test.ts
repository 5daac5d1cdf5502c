// Runs that end before their export does: stopped by Ctrl-C, or killed. The next run goes on with the same job.
import { expect, test, vi } from "vitest";
import { bundle, poll, START, wholeExport } from "./requests.ts";
import { buildWorld, onEachEngine, stepsOf, succeeded, type World } from "./world.ts";

const starts = (world: World): number =>
  world.service.requests.filter(({ method, path }) => `${method} ${path}` === START).length;

const polled = async (world: World): Promise<void> => {
  await vi.waitUntil(() => world.service.requests.some(({ method }) => method === "GET"), {
    timeout: 60_000,
  });
};

const killProviders = (world: World): void => {
  const pids = world.stack.providerPids();
  expect(pids).not.toEqual([]);
  for (const pid of pids) process.kill(pid, "SIGKILL");
};

onEachEngine("interruptions", (kind) => {
  test.concurrent(
    "L14 Ctrl-C during an update keeps the old link, and the next up goes on with the new job",
    async (context) => {
      const world = await buildWorld(context, kind);
      const program = (version: string): void =>
        world.program(`new StaticExport("docs", { domain: "docs.example.com", version: "${version}" });`);
      program("v1");
      succeeded(await world.stack.up());
      const before = await world.exported();
      world.requests();
      program("v2");
      const letJobsEnd = world.holdJobs();
      const interrupt = new AbortController();
      const running = world.stack.up({ signal: interrupt.signal });
      await vi.waitUntil(() => world.resumeRecords().length > 0, { timeout: 60_000 });
      interrupt.abort();
      expect((await running).ok).toBe(false);
      letJobsEnd();
      expect((await world.exported()).outputs).toMatchObject({
        version: "v1",
        bundleUrl: before.outputs["bundleUrl"],
      });
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["update docs"]);
      expect(starts(world)).toBe(2); // one for each version
      expect((await world.exported()).outputs["version"]).toBe("v2");
    },
  );

  test.concurrent(
    "L15 a provider that is killed while it waits: the next up goes on with the same job",
    async (context) => {
      const world = await buildWorld(context, kind);
      const letJobsEnd = world.holdJobs();
      world.program(`new StaticExport("docs", { domain: "docs.example.com" });`);
      const running = world.stack.up();
      await polled(world);
      const [record] = world.resumeRecords();
      expect(record).toMatchObject({ mode: 0o600 });
      killProviders(world);
      expect((await running).ok).toBe(false);
      await expect(world.exported()).rejects.toThrow("0 resources StaticExport");
      letJobsEnd();
      const up = succeeded(await world.stack.up());
      expect(up.logs.map(({ message }) => message)).toContainEqual(
        expect.stringContaining(`RESUMED: job ${String(record?.jobId)}`),
      );
      expect((await world.exported()).outputs["jobId"]).toBe(record?.jobId);
      expect(starts(world)).toBe(1);
      expect(world.resumeRecords()).toEqual([]);
      expect(stepsOf(succeeded(await world.stack.preview()))).toEqual([]);
    },
  );

  test.concurrent(
    "L15 a provider that is killed during an update: the next up goes on with the new job",
    async (context) => {
      const world = await buildWorld(context, kind);
      const program = (version: string): void =>
        world.program(`new StaticExport("docs", { domain: "docs.example.com", version: "${version}" });`);
      program("v1");
      succeeded(await world.stack.up());
      const before = await world.exported();
      program("v2");
      const letJobsEnd = world.holdJobs();
      const running = world.stack.up();
      await vi.waitUntil(() => world.resumeRecords().length > 0, { timeout: 60_000 });
      const [record] = world.resumeRecords();
      killProviders(world);
      expect((await running).ok).toBe(false);
      letJobsEnd();
      expect((await world.exported()).outputs).toEqual(before.outputs);
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual(["update docs"]);
      expect((await world.exported()).outputs).toMatchObject({ version: "v2", jobId: record?.jobId });
      expect(starts(world)).toBe(2);
    },
  );

  test.concurrent.for([
    ["kill -9 of the whole run", "kill"],
    ["Ctrl-C twice", "terminate"],
  ] as const)("L15 %s while it waits: the next up goes on with the same job", async ([, way], context) => {
    const world = await buildWorld(context, kind);
    const letJobsEnd = world.holdJobs();
    world.program(`new StaticExport("docs", { domain: "docs.example.com" });`);
    const end = new AbortController();
    const running = world.stack.up({ [way]: end.signal });
    await polled(world);
    const [record] = world.resumeRecords();
    end.abort();
    expect((await running).ok).toBe(false);
    letJobsEnd();
    succeeded(await world.stack.up());
    expect((await world.exported()).outputs["jobId"]).toBe(record?.jobId);
    expect(starts(world)).toBe(1);
    expect(world.resumeRecords()).toEqual([]);
    expect(stepsOf(succeeded(await world.stack.preview()))).toEqual([]);
  });

  test.concurrent(
    "L15 a job that failed after the run was killed is told once, and then started anew",
    async (context) => {
      const world = await buildWorld(context, kind);
      const letJobsEnd = world.holdJobs();
      world.program(`new StaticExport("docs", { domain: "docs.example.com" });`);
      const running = world.stack.up();
      await polled(world);
      killProviders(world);
      await running;
      letJobsEnd();
      const undo = world.service.intercept(({ method }) =>
        method === "GET" ? { body: { status: "failed", error: "guide.md is broken" } } : undefined,
      );
      expect((await world.stack.up()).error).toContain("guide.md is broken");
      expect(world.resumeRecords()).toEqual([]);
      undo();
      world.holdJobs();
      const again = world.stack.up();
      await vi.waitUntil(() => starts(world) === 2, { timeout: 60_000 });
      killProviders(world);
      await again;
    },
  );

  test.concurrent(
    "L16 a provider that is killed between the start and its reply: one job at most is orphaned, and the next up works",
    async (context) => {
      const world = await buildWorld(context, kind);
      world.program(`new StaticExport("docs", { domain: "docs.example.com" });`);
      const undo = world.service.intercept(({ method, path }) => {
        if (`${method} ${path}` !== START) return undefined;
        killProviders(world);
        return { hangUp: "processed" };
      });
      expect((await world.stack.up()).ok).toBe(false);
      undo();
      succeeded(await world.stack.up());
      expect(starts(world)).toBe(2);
      expect((await world.exported()).outputs["status"]).toBe("completed");
      expect(stepsOf(succeeded(await world.stack.preview()))).toEqual([]);
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
