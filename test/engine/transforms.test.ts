import { afterEach, expect, it } from "vitest";
import { createBoxWorld, type BoxWorld } from "./boxes/boxWorld.ts";
import { describeEngines } from "./boxes/describeEngines.ts";

describeEngines("transforms", (kind) => {
  let world: BoxWorld;
  afterEach(() => world.remove());

  const box = async () => (await world.stack.exportState()).find(({ type }) => type.endsWith(":Box"));

  it("change inputs and options: the resource's own first, then its parents', then the stack's", async () => {
    world = await createBoxWorld(kind);
    world.program(`
      const append = (letter, options = {}) => ({ props, opts, type }) => type.endsWith(":Box")
        ? { props: { ...props, path: (props.path ?? "") + letter }, opts: { ...opts, ...options } } : undefined;
      pulumi.runtime.registerResourceTransform(append("s"));
      const outer = new Shelf("outer", { transforms: [append("o")] });
      const inner = new Shelf("inner", { parent: outer, transforms: [append("i", { protect: true })] });
      new Box("a", { token: pulumi.secret("canary"), size: 1 }, { parent: inner, ignoreChanges: ["color"], transforms: [append("a", { additionalSecretOutputs: ["label"] })] });
    `);
    const up = await world.stack.up();
    expect(up.error).toBeUndefined();
    expect(await box()).toMatchObject({
      inputs: { path: "aios", size: 1, token: "canary" },
      secretInputs: ["token"],
      additionalSecretOutputs: ["label"],
      protect: true,
    });
    expect((await world.stack.up()).summary).toEqual({ same: 4 });
  });

  it("that change nothing leave the dependencies, and aliases still count", async () => {
    world = await createBoxWorld(kind);
    world.program(`const a = new Box("a"); new Box("b", { of: a.label });`);
    await world.stack.up();
    world.program(`const a = new Box("a");
      new Box("c", { name: "b", of: a.label }, { aliases: [{ name: "b" }], transforms: [() => undefined] });`);
    const up = await world.stack.up();
    expect(up.summary).toEqual({ same: 3 });
    const renamed = (await world.stack.exportState()).find(({ urn }) => urn === world.urn("c"));
    expect(renamed?.dependencies).toEqual([world.urn("a")]);
    expect(renamed?.propertyDependencies["of"]).toEqual([world.urn("a")]);
  });

  it("that throw fail the program", async () => {
    world = await createBoxWorld(kind);
    world.program(`new Box("a", {}, { transforms: [() => { throw new Error("not so"); }] });`);
    const up = await world.stack.up();
    expect(up.ok).toBe(false);
    expect(up.error).toContain("not so");
    expect(world.changes()).toEqual([]);
  });
});
