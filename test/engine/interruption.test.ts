import { afterEach, expect, it } from "vitest";
import { changed, createBoxWorld, type BoxWorld } from "./boxes/boxWorld.ts";
import { describeEngines } from "./boxes/describeEngines.ts";
import { killedMessage, type LogLine, type OperationResult } from "./index.ts";

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

  const threeBoxes = `const a = new Box("a"); const b = new Box("b", { of: a.label }); new Box("c", { of: b.label });`;

  /** After `b` of the three boxes was cut off: its record stays, whatever runs, until a user clears it. */
  async function expectCutOff(up: () => Promise<OperationResult>): Promise<void> {
    const record = [{ urn: world.urn("b"), type: "creating" }];
    const names = async () => (await world.stack.exportState()).map(({ urn }) => urn.split("::").at(-1));
    expect(await names()).toEqual(["test-dev", "a"]);
    expect(await world.stack.pendingOperations()).toEqual(record);

    world.order({});
    const next = await up();
    expect(next).toMatchObject({ ok: true, summary: { create: 2, same: 2 } });
    expect(next.logs.map(({ severity, message }) => [severity, message.split("\n").slice(0, 2)])).toEqual([
      [
        "warning",
        [
          "Attempting to deploy or update resources with 1 pending operations from previous deployment.",
          `  * ${world.urn("b")}, interrupted while creating`,
        ],
      ],
    ]);
    expect(await world.stack.pendingOperations()).toEqual(record);
    expect((await world.stack.refresh()).logs).toEqual([]);
    expect(await world.stack.pendingOperations()).toEqual(record);
    await world.stack.refresh({ clearPendingCreates: true });
    expect(await world.stack.pendingOperations()).toEqual([]);
    expect(await world.stack.up()).toMatchObject({ ok: true, summary: { same: 4 }, logs: [] });
  }

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

  it("Ctrl-C twice ends without waiting, keeps nothing more, and writes down what was under way", async () => {
    world = await createBoxWorld(kind);
    world.program(threeBoxes);
    world.order({ "create b": { waitFor: "never" } });
    const first = new AbortController();
    const second = new AbortController();
    const running = world.stack.up({ signal: first.signal, terminate: second.signal });
    await world.until(() => world.changes().includes("create b"));
    first.abort();
    second.abort();
    const result = await running;

    expect(result.ok).toBe(false);
    expect(result.error).toBe("update failed");
    expect(changed(result.steps)).toEqual(["create a"]);
    await expectCutOff(() => world.stack.up());
  });

  it("what a provider still returns after Ctrl-C twice is not kept", async () => {
    world = await createBoxWorld(kind);
    world.program(threeBoxes);
    world.order({ "create b": { waitFor: "go", heedsNoInterrupt: true } });
    const twice = new AbortController();
    const running = world.stack.up({ terminate: twice.signal });
    await world.until(() => world.changes().includes("create b"));
    twice.abort();
    await world.until(() => world.calls().some(({ method }) => method === "interrupted"));
    world.allow("go");
    await running;

    expect(world.boxes.read()["b"]).toBeDefined();
    await expectCutOff(() => world.stack.up());
  });

  it("kill -9 of the whole run leaves no process and no lock, and the next up makes what wasn't kept", async () => {
    world = await createBoxWorld(kind);
    world.program(threeBoxes);
    world.order({ "create b": { waitFor: "never" } });
    const kill = new AbortController();
    const logs: LogLine[] = [];
    const running = world.stack.up({ kill: kill.signal, onLog: (line) => logs.push(line) });
    await world.until(() => world.changes().includes("create b"));
    const pids = world.stack.providerPids();
    expect(pids).toEqual([world.calls().at(-1)?.pid]);
    kill.abort();
    const result = await running;

    expect(result).toMatchObject({ ok: false, error: killedMessage });
    expect(changed(result.steps)).toEqual(["create a"]);
    expect(result.text).toContain("Box a created");
    expect(result.logs).toEqual(logs);
    await world.until(() => !pids.some(isAlive));
    await expectCutOff(() => world.stack.up());
  });

  it("a run that may be killed and isn't goes as any other, Ctrl-C included", async () => {
    world = await createBoxWorld(kind, { secretConfig: { flavour: "oak" } });
    const program = (last: string) =>
      world.program(`${threeBoxes} ${last} exports.flavour = new pulumi.Config().requireSecret("flavour");`);
    program("");
    const kill = new AbortController();
    const result = await world.stack.up({ kill: kill.signal });
    program(`new Box("d");`);
    world.order({ "create d": { waitFor: "go" } });
    const interrupt = new AbortController();
    const running = world.stack.up({ kill: kill.signal, signal: interrupt.signal });
    await world.until(() => world.changes().includes("create d"));
    interrupt.abort();
    world.allow("go");

    expect(result).toMatchObject({ ok: true, summary: { create: 4 } });
    expect(result.outputs["flavour"]).toEqual({ value: "oak", secret: true });
    expect((await running).ok).toBe(false);
    expect(await world.stack.exportState()).toHaveLength(5);
    expect(await world.stack.pendingOperations()).toEqual([]);
  });

  it("an update that was killed is made again, and its record goes with it", async () => {
    world = await createBoxWorld(kind);
    world.program(`new Box("a", { size: 1 });`);
    await world.stack.up();
    world.program(`new Box("a", { size: 2 });`);
    world.order({ "update a": { waitFor: "never" } });
    const kill = new AbortController();
    const running = world.stack.up({ kill: kill.signal });
    await world.until(() => world.changes().includes("update a"));
    kill.abort();
    await running;
    expect(await world.stack.pendingOperations()).toEqual([{ urn: world.urn("a"), type: "updating" }]);

    world.order({});
    const next = await world.stack.up();
    expect(next).toMatchObject({ ok: true, summary: { update: 1, same: 1 } });
    expect(next.logs[0]?.message).toContain("interrupted while updating");
    expect(await world.stack.pendingOperations()).toEqual([]);
  });

  it("a destroy that was killed is told of, and done again", async () => {
    world = await createBoxWorld(kind);
    world.program(`new Box("a");`);
    await world.stack.up();
    world.order({ "delete a": { waitFor: "never" } });
    const kill = new AbortController();
    const running = world.stack.destroy({ kill: kill.signal });
    await world.until(() => world.changes().includes("delete a"));
    kill.abort();
    await running;
    expect(await world.stack.pendingOperations()).toEqual([{ urn: world.urn("a"), type: "deleting" }]);

    world.order({});
    const next = await world.stack.destroy();
    expect(next).toMatchObject({ ok: true, summary: { delete: 2 } });
    expect(next.logs[0]?.message).toContain("interrupted while deleting");
    expect(await world.stack.pendingOperations()).toEqual([]);
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
