import { afterEach, expect, it } from "vitest";
import { createBoxWorld, type BoxWorld } from "./boxes/boxWorld.ts";
import { describeEngines } from "./boxes/describeEngines.ts";

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describeEngines("interruptions", (kind) => {
  let world: BoxWorld;
  afterEach(() => world.remove());

  const begun = (method: string) =>
    world.until(() => world.calls().some((call) => call.method === method && call.phase === "start"));

  it("Ctrl-C waits for what runs, keeps it, and starts nothing else", async () => {
    world = await createBoxWorld(kind);
    world.program(`const a = new Box("a"); new Box("b", { of: a.label });`);
    world.order({ "create a": { waitFor: "go" } });
    const interrupt = new AbortController();
    const running = world.stack.up({ signal: interrupt.signal });
    await begun("create");
    interrupt.abort();
    world.allow("go");
    const result = await running;

    expect(result.ok).toBe(false);
    expect(result.text).toMatch(/cancel/i);
    expect(world.changes()).toEqual(["create a"]);
    expect((await world.stack.exportState()).map(({ urn }) => urn.split("::").at(-1))).toEqual([
      "test-dev",
      "a",
    ]);
    expect(await world.stack.up()).toMatchObject({ ok: true, summary: { create: 1, same: 2 } });
  });

  it("a provider that is killed fails its calls, and the operation ends with the state kept", async () => {
    world = await createBoxWorld(kind);
    world.program(`const a = new Box("a"); new Box("b", { of: a.label });`);
    world.order({ "create b": { waitFor: "never" } });
    const running = world.stack.up();
    await world.until(() => world.changes().includes("create b"));
    const pids = world.stack.providerPids();
    expect(pids).toEqual([world.calls().at(-1)?.pid]);
    for (const pid of pids) process.kill(pid, "SIGKILL");
    const result = await running;

    expect(result.ok).toBe(false);
    expect(result.steps.find(({ urn }) => urn === world.urn("b"))?.error).toBeDefined();
    expect(world.stack.providerPids()).toEqual([]);
    world.order({});
    expect(await world.stack.up()).toMatchObject({ ok: true, summary: { create: 1, same: 2 } });
  });

  it("runs as many operations at once as was asked for, and not one more", async () => {
    world = await createBoxWorld(kind);
    world.program(`for (let i = 0; i < 20; i++) new Box("box-" + i);`);
    world.order(
      Object.fromEntries([...Array(20).keys()].map((i) => [`create box-${i}`, { waitForCalls: 4 }])),
    );
    const result = await world.stack.up({ parallel: 4 });
    const atOnce = world
      .calls()
      .filter(({ method }) => method === "create")
      .map(({ running }) => running);

    expect(result).toMatchObject({ ok: true, summary: { create: 21 } });
    expect(Math.max(...atOnce)).toBe(4);
  });

  it("leaves no process behind, whether it went well or not", async () => {
    world = await createBoxWorld(kind);
    world.program(`new Box("a"); new Box("b");`);
    world.order({ "create b": { throw: "no" } });
    await world.stack.up();
    world.order({});
    await world.stack.up();
    const pids = new Set(world.calls().map(({ pid }) => pid));

    expect(pids.size).toBe(2);
    await world.until(() => ![...pids].some(isAlive));
  });

  it("refuses a second operation while one runs", async () => {
    world = await createBoxWorld(kind);
    world.program(`new Box("a");`);
    world.order({ "create a": { waitFor: "go" } });
    const first = world.stack.up();
    await begun("create");
    const second = await world.stack.up().then(
      ({ error }) => error,
      (error: unknown) => String(error),
    );
    world.allow("go");

    expect(second).toMatch(/locked/);
    expect((await first).ok).toBe(true);
  });
});
