import { afterEach, expect, it } from "vitest";
import { changed, createBoxWorld, type BoxWorld } from "./boxes/boxWorld.ts";
import { describeEngines } from "./boxes/describeEngines.ts";

describeEngines("the order of steps", (kind) => {
  let world: BoxWorld;
  afterEach(() => world.remove());

  it("replaces by creating first, then the dependants, and deletes last", async () => {
    world = await createBoxWorld(kind);
    const program = (kindOfBox: string) =>
      world.program(`const a = new Box("a", { kind: "${kindOfBox}" }); new Box("b", { of: a.label });`);
    program("round");
    await world.stack.up();
    world.forgetCalls();
    program("square");
    const result = await world.stack.up();

    expect(result).toMatchObject({ ok: true, summary: { replace: 1, update: 1, same: 1 } });
    expect(changed(result.steps)).toEqual([
      "create-replacement a",
      "replace a",
      "update b",
      "delete-replaced a",
    ]);
    expect(world.changes()).toEqual(["create a", "update b", "delete a"]);
    expect(await world.stack.exportState()).toHaveLength(3);
  });

  it("replaces what is tainted, once, although nothing changed", async () => {
    world = await createBoxWorld(kind);
    world.program(`new Box("a", { size: 1 }); new Box("b", { size: 1 });`);
    await world.stack.up();
    await world.stack.taint([world.urn("a")]);
    world.forgetCalls();
    const result = await world.stack.up();
    const after = await world.stack.up();

    expect(changed(result.steps)).toEqual(["create-replacement a", "replace a", "delete-replaced a"]);
    expect(world.changes()).toEqual(["create a", "delete a"]);
    expect(changed(after.steps)).toEqual([]);
  });

  it("deletes resources that are no longer in the program, after their dependants", async () => {
    world = await createBoxWorld(kind);
    world.program(`const a = new Box("a"); new Box("b", { of: a.label }); exports.label = a.label;`);
    await world.stack.up();
    world.forgetCalls();
    world.program(`new Box("c")`);
    const result = await world.stack.up();

    expect(result).toMatchObject({ ok: true, summary: { create: 1, delete: 2, same: 1 } });
    expect(world.changes()).toEqual(["create c", "delete b", "delete a"]);
    expect(result.outputs).toEqual({});
  });

  it("does not destroy dependants when only their target is destroyed", async () => {
    world = await createBoxWorld(kind);
    world.program(`const a = new Box("a"); new Box("b", { of: a.label }); new Box("c");`);
    await world.stack.up();
    const refused = await world.stack.destroy({ targets: [world.urn("a")] });
    const done = await world.stack.destroy({ targets: [world.urn("b"), world.urn("a")] });

    expect(refused.error).toContain("will be destroyed but was not specified in --target list");
    expect(changed(done.steps)).toEqual(["delete b", "delete a"]);
    expect(await world.stack.exportState()).toHaveLength(2);
  });
});
