import { afterEach, expect, it } from "vitest";
import { changed, createBoxWorld, type BoxWorld } from "./boxes/boxWorld.ts";
import { describeEngines } from "./boxes/describeEngines.ts";

describeEngines("refresh", (kind) => {
  let world: BoxWorld;
  afterEach(() => world.remove());

  const stateByName = async () =>
    Object.fromEntries(
      (await world.stack.exportState()).map(({ propertyDependencies, ...resource }) => [
        resource.urn.split("::").at(-1) ?? "",
        // a refresh removes the empty ones
        { ...resource, of: propertyDependencies["of"] },
      ]),
    );

  async function createThree() {
    world = await createBoxWorld(kind);
    world.program(`
      const a = new Box("a", { size: 1 });
      new Box("b", { size: 1, of: a.label });
      new Box("c", { size: 1 });
    `);
    await world.stack.up();
    world.forgetCalls();
  }

  it("adopts drift, forgets missing resources, and reports which is which", async () => {
    await createThree();
    const { a, ...others } = world.boxes.read();
    world.boxes.write({ ...others, c: { serial: 1, size: 5 } });
    expect(a).toBeDefined();
    const result = await world.stack.refresh();

    expect(result).toMatchObject({ ok: true, summary: { delete: 1, same: 3 } });
    expect(changed(result.steps)).toEqual(["delete a"]);
    const state = await stateByName();
    expect(Object.keys(state).toSorted()).toEqual(["b", "c", "test-dev"]);
    expect(state["b"]?.dependencies).toEqual([]);
    expect(state["c"]?.outputs["size"]).toBe(5);

    world.forgetCalls();
    expect(await world.stack.up()).toMatchObject({ ok: true, summary: { create: 1 } });
    expect(world.changes()[0]).toBe("create a");
  });

  it("clears the init errors of resources that it could read", async () => {
    world = await createBoxWorld(kind);
    world.program(`new Box("a");`);
    world.order({ "create a": { unfinished: ["no lid"] } });
    await world.stack.up();
    const result = await world.stack.refresh();

    expect(result.ok).toBe(true);
    expect((await world.stack.exportState())[1]?.initErrors).toEqual([]);
    expect((await world.stack.preview()).summary).toEqual({ same: 2 });
  });

  it("runs with the configuration of the last up", async () => {
    world = await createBoxWorld(kind, { config: { flavour: "oak" } });
    world.program(`new Box("a");`);
    await world.stack.up();
    world.forgetCalls();
    await world.stack.setConfig("flavour", "pine");
    await world.stack.refresh();
    await world.stack.up();
    const recorded = world.calls();

    expect(recorded.find(({ method }) => method === "read")?.config).toBe("oak");
    expect(recorded.at(-1)?.config).toBe("pine");
  });
});
