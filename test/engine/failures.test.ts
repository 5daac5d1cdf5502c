import { afterEach, expect, it } from "vitest";
import { createBoxWorld, type BoxWorld } from "./boxes/boxWorld.ts";
import { describeEngines } from "./boxes/describeEngines.ts";

describeEngines("failures", (kind) => {
  let world: BoxWorld;
  afterEach(() => world.remove());

  const stateOf = async (name: string) =>
    (await world.stack.exportState()).find(({ urn }) => urn === world.urn(name));

  it("keeps the old inputs and the new outputs of an update that failed midway", async () => {
    world = await createBoxWorld(kind);
    world.program(`new Box("a", { size: 1 });`);
    await world.stack.up();
    world.program(`new Box("a", { size: 2 });`);
    world.order({ "update a": { unfinished: ["dented"] } });
    const result = await world.stack.up();

    expect(result.ok).toBe(false);
    expect(await stateOf("a")).toMatchObject({
      inputs: { size: 1 },
      outputs: { size: 2 },
      initErrors: ["dented"],
    });
  });

  it("a replacement that failed midway is continued, and the old resource is deleted at the end", async () => {
    world = await createBoxWorld(kind);
    world.program(`new Box("a", { kind: "round" });`);
    await world.stack.up();
    world.program(`new Box("a", { kind: "square" });`);
    world.order({ "create a": { unfinished: ["no lid"] } });
    await world.stack.up();
    const between = await world.stack.exportState();
    world.order({});
    world.forgetCalls();
    const result = await world.stack.up();

    expect(between.map(({ pendingDeletion, initErrors }) => [pendingDeletion, initErrors.length])).toEqual([
      [false, 0],
      [false, 1],
      [true, 0],
    ]);
    expect(result).toMatchObject({ ok: true, summary: { update: 1 } });
    expect(world.changes()).toEqual(["update a", "delete a"]);
  });

  it.each([
    ["throws", `throw new Error("wrong turn");`, "wrong turn"],
    ["ends with an exit code", `process.exitCode = 7;`, "exit code: 7"],
  ])(
    "a program that %s deletes nothing, and keeps the outputs that it did not reach",
    async (_how, end, reason) => {
      world = await createBoxWorld(kind);
      world.program(`new Box("a"); exports.one = 1;`);
      await world.stack.up();
      world.program(end);
      const result = await world.stack.up();

      expect(result.ok).toBe(false);
      expect(result.error).toContain(reason);
      expect(world.changes()).toEqual(["create a"]);
      expect(result.outputs["one"]?.value).toBe(1);
    },
  );
});
