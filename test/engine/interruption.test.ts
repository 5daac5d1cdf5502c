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

  /** After `b` of the three boxes was interrupted: its record stays after any operation, until a user clears it. */
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

  const begun = (method: string, name = "a") =>
    world.until(() => world.changes().includes(`${method} ${name}`));

  it("Ctrl-C twice ends without waiting, keeps nothing more, and records the operation that was under way", async () => {
    world = await createBoxWorld(kind);
    world.program(threeBoxes);
    world.order({ "create b": { waitFor: "never" } });
    const first = new AbortController();
    const second = new AbortController();
    const running = world.stack.up({ signal: first.signal, terminate: second.signal });
    await begun("create", "b");
    first.abort();
    second.abort();
    const result = await running;

    expect(result.ok).toBe(false);
    expect(result.error).toBe("update failed");
    expect(changed(result.steps)).toEqual(["create a"]);
    await expectCutOff(() => world.stack.up());
  });

  it("kill -9 of the whole run leaves no process and no lock, and the next up creates what was not kept", async () => {
    world = await createBoxWorld(kind);
    world.program(threeBoxes);
    world.order({ "create b": { waitFor: "never" } });
    const kill = new AbortController();
    const logs: LogLine[] = [];
    const running = world.stack.up({ kill: kill.signal, onLog: (line) => logs.push(line) });
    await begun("create", "b");
    const pids = world.stack.providerPids();
    expect(pids).toEqual([world.calls().at(-1)?.pid]);
    kill.abort();
    const result = await running;

    expect(result).toMatchObject({ ok: false, error: killedMessage });
    expect(result.text).toContain("Box a creat");
    expect(result.logs).toEqual(logs);
    await world.until(() => !pids.some(isAlive));
    await expectCutOff(() => world.stack.up());
  });

  it.each([
    ["update", "updating", "up", { update: 1, same: 1 }],
    ["delete", "deleting", "destroy", { delete: 2 }],
  ] as const)(
    "%s that was killed is reported and run again, and its record is removed with it",
    async (method, type, operation, summary) => {
      world = await createBoxWorld(kind);
      world.program(`new Box("a", { size: 1 });`);
      await world.stack.up();
      world.program(`new Box("a", { size: 2 });`);
      world.order({ [`${method} a`]: { waitFor: "never" } });
      const kill = new AbortController();
      const running = world.stack[operation]({ kill: kill.signal });
      await begun(method);
      kill.abort();
      await running;
      expect(await world.stack.pendingOperations()).toEqual([{ urn: world.urn("a"), type }]);

      world.order({});
      const next = await world.stack[operation]();
      expect(next).toMatchObject({ ok: true, summary });
      expect(next.logs[0]?.message).toContain(`interrupted while ${type}`);
      expect(await world.stack.pendingOperations()).toEqual([]);
    },
  );

  it("refuses a second operation during the first", async () => {
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
